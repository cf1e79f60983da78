package import Tenants

/// The texts of the account page in one language, named as in ``AccountText``.
package struct AccountTexts: Sendable {
    // The page.
    package var title: String
    package var signedInAs: String
    package var signedOutTitle: String
    package var signedOut: String
    package var signIn: String

    // Sessions.
    package var sessions: String
    package var thisSession: String
    package var lastUsed: String
    package var unknownDevice: String
    package var signOut: String
    package var signOutOthers: String

    // Logins.
    package var logins: String
    package var unlink: String
    package var lastWayIn: String

    // Passkeys.
    package var passkeys: String
    package var noPasskeys: String
    package var added: String
    package var neverUsed: String
    package var name: String
    package var rename: String
    package var remove: String
    package var addPasskey: String
    package var signInAgain: String
    package var newPasskey: String

    // What has been done.
    package var sessionEnded: String
    package var othersEnded: String
    package var loginUnlinked: String
    package var passkeyAdded: String
    package var passkeyRenamed: String
    package var passkeyRemoved: String

    // What has not.
    package var outdated: String
    package var notThere: String
    package var tooManyPasskeys: String
    package var passkeyRefused: String
    package var decidedElsewhere: String
    package var unavailable: String

    // Signing in with a passkey.
    package var signInWithPasskey: String
    package var choosePasskey: String
    package var passkeyFailed: String
    package var otherAccount: String
    package var otherAccountNamed: String
    package var goOn: String
}

extension AccountTexts: WrittenTexts {
    package static var own: KeyPath<PageTexts.Language, [AccountText: String]> { \.account }

    package static func builtIn(_ language: PageLanguage.BuiltIn) -> AccountTexts {
        switch language {
        case .english: .english
        case .german: .german
        case .spanish: .spanish
        case .french: .french
        case .japanese: .japanese
        }
    }

    package static func property(_ name: AccountText) -> WritableKeyPath<AccountTexts, String> {
        switch name {
        case .title: \.title
        case .signedInAs: \.signedInAs
        case .signedOutTitle: \.signedOutTitle
        case .signedOut: \.signedOut
        case .signIn: \.signIn
        case .sessions: \.sessions
        case .thisSession: \.thisSession
        case .lastUsed: \.lastUsed
        case .unknownDevice: \.unknownDevice
        case .signOut: \.signOut
        case .signOutOthers: \.signOutOthers
        case .logins: \.logins
        case .unlink: \.unlink
        case .lastWayIn: \.lastWayIn
        case .passkeys: \.passkeys
        case .noPasskeys: \.noPasskeys
        case .added: \.added
        case .neverUsed: \.neverUsed
        case .name: \.name
        case .rename: \.rename
        case .remove: \.remove
        case .addPasskey: \.addPasskey
        case .signInAgain: \.signInAgain
        case .newPasskey: \.newPasskey
        case .sessionEnded: \.sessionEnded
        case .othersEnded: \.othersEnded
        case .loginUnlinked: \.loginUnlinked
        case .passkeyAdded: \.passkeyAdded
        case .passkeyRenamed: \.passkeyRenamed
        case .passkeyRemoved: \.passkeyRemoved
        case .outdated: \.outdated
        case .notThere: \.notThere
        case .tooManyPasskeys: \.tooManyPasskeys
        case .passkeyRefused: \.passkeyRefused
        case .decidedElsewhere: \.decidedElsewhere
        case .unavailable: \.unavailable
        case .signInWithPasskey: \.signInWithPasskey
        case .choosePasskey: \.choosePasskey
        case .passkeyFailed: \.passkeyFailed
        case .otherAccount: \.otherAccount
        case .otherAccountNamed: \.otherAccountNamed
        case .goOn: \.goOn
        }
    }
}
