public import Tenants

extension SignIn.Provider {
    /// As people call it.
    var vendor: String {
        switch self {
        case .apple: "Apple"
        case .google: "Google"
        }
    }
}

extension ProviderTokenKind {
    /// Who signs such tokens.
    public var provider: SignIn.Provider {
        switch self {
        case .appleIdentity, .appleWebIdentity, .appleNotification: .apple
        case .googleIdentity, .googleWebIdentity: .google
        }
    }

    /// What a refusal calls such a token.
    var noun: String {
        switch self {
        case .appleIdentity, .appleWebIdentity: "Apple's identity token"
        case .appleNotification: "Apple's event"
        case .googleIdentity, .googleWebIdentity: "Google's ID token"
        }
    }
}
