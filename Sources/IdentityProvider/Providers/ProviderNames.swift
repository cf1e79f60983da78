public import Tenants

extension SignIn.Provider {
    /// The name for users; of a named provider its key, which has a label beside it.
    var vendor: String {
        switch self {
        case .apple: "Apple"
        case .google: "Google"
        case .named(let name): name
        }
    }
}

extension SignIn {
    /// The provider's name for people: as the buttons have it, if it is one of the tenant's.
    func label(of provider: Provider) -> String {
        named.first { .named($0.name) == provider }?.label ?? provider.vendor
    }
}

extension ProviderTokenKind {
    /// The provider that signs such tokens.
    public var provider: SignIn.Provider {
        switch self {
        case .appleIdentity, .appleWebIdentity, .appleNotification: .apple
        case .googleIdentity, .googleWebIdentity: .google
        case .namedIdentity(let name), .namedWebIdentity(let name): .named(name)
        }
    }

    /// The name of such a token in refusals.
    var noun: String {
        switch self {
        case .appleIdentity, .appleWebIdentity: "Apple's identity token"
        case .appleNotification: "Apple's event"
        case .googleIdentity, .googleWebIdentity: "Google's ID token"
        case .namedIdentity(let name), .namedWebIdentity(let name): "the ID token of \(name)"
        }
    }
}
