/// The texts of the account page in one language. `{}` stands for a name.
struct AccountTexts: Sendable {
    // The page.
    let title: String
    let signedInAs: String
    let signedOutTitle: String
    let signedOut: String
    let signIn: String

    // Sessions.
    let sessions: String
    let thisSession: String
    let lastUsed: String
    let unknownDevice: String
    let signOut: String
    let signOutOthers: String

    // Logins.
    let logins: String
    let unlink: String
    let lastWayIn: String

    // Passkeys.
    let passkeys: String
    let noPasskeys: String
    let added: String
    let neverUsed: String
    let name: String
    let rename: String
    let remove: String
    let addPasskey: String
    let signInAgain: String
    let newPasskey: String

    // What has been done.
    let sessionEnded: String
    let othersEnded: String
    let loginUnlinked: String
    let passkeyAdded: String
    let passkeyRenamed: String
    let passkeyRemoved: String

    // What has not.
    let outdated: String
    let notThere: String
    let tooManyPasskeys: String
    let passkeyRefused: String
    let decidedElsewhere: String
    let unavailable: String

    // Signing in with a passkey.
    let signInWithPasskey: String
    let choosePasskey: String
    let passkeyFailed: String
    let goOn: String
}

extension AccountTexts {
    init(_ language: PageLanguage) {
        self =
            switch language {
            case .english: .english
            case .german: .german
            case .spanish: .spanish
            case .french: .french
            case .japanese: .japanese
            }
    }
}
