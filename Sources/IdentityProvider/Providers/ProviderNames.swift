public import Tenants

extension SignIn.Provider {
    /// The name for users.
    var vendor: String {
        switch self {
        case .apple: "Apple"
        case .google: "Google"
        }
    }
}

extension ProviderTokenKind {
    /// The provider that signs such tokens.
    public var provider: SignIn.Provider {
        switch self {
        case .appleIdentity, .appleWebIdentity, .appleNotification: .apple
        case .googleIdentity, .googleWebIdentity: .google
        }
    }

    /// The name of such a token in refusals.
    var noun: String {
        switch self {
        case .appleIdentity, .appleWebIdentity: "Apple's identity token"
        case .appleNotification: "Apple's event"
        case .googleIdentity, .googleWebIdentity: "Google's ID token"
        }
    }
}
