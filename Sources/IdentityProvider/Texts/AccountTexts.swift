import Tenants

/// The texts of the account page in one language, named as in ``AccountText``.
struct AccountTexts: Sendable {
    // The page.
    var title: String
    var signedInAs: String
    var signedOutTitle: String
    var signedOut: String
    var signIn: String

    // Sessions.
    var sessions: String
    var thisSession: String
    var lastUsed: String
    var unknownDevice: String
    var signOut: String
    var signOutOthers: String

    // Logins.
    var logins: String
    var unlink: String
    var lastWayIn: String

    // Passkeys.
    var passkeys: String
    var noPasskeys: String
    var added: String
    var neverUsed: String
    var name: String
    var rename: String
    var remove: String
    var addPasskey: String
    var signInAgain: String
    var newPasskey: String

    // What has been done.
    var sessionEnded: String
    var othersEnded: String
    var loginUnlinked: String
    var passkeyAdded: String
    var passkeyRenamed: String
    var passkeyRemoved: String

    // What has not.
    var outdated: String
    var notThere: String
    var tooManyPasskeys: String
    var passkeyRefused: String
    var decidedElsewhere: String
    var unavailable: String

    // Signing in with a passkey.
    var signInWithPasskey: String
    var choosePasskey: String
    var passkeyFailed: String
    var goOn: String
}

extension AccountTexts: WrittenTexts {
    static var own: KeyPath<PageTexts.Language, [AccountText: String]> { \.account }

    static func builtIn(_ language: PageLanguage.BuiltIn) -> AccountTexts {
        switch language {
        case .english: .english
        case .german: .german
        case .spanish: .spanish
        case .french: .french
        case .japanese: .japanese
        }
    }

    static func property(_ name: AccountText) -> WritableKeyPath<AccountTexts, String> {
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
        case .goOn: \.goOn
        }
    }
}
