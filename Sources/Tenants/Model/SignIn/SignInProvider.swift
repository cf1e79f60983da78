import ConfigurationText

extension SignIn.Provider: RawRepresentable {
    /// Those with sections of their own.
    public static let wellKnown: [SignIn.Provider] = [.apple, .google]
    /// What sign-ins with passkeys are called where others have their provider's name.
    public static let passkey = "passkey"
    /// Bytes of a name.
    static let longestName = 32

    public var rawValue: String {
        switch self {
        case .apple: "apple"
        case .google: "google"
        case .named(let name): name
        }
    }

    /// - Returns: nil for a text that can be no provider's name.
    public init?(rawValue: String) {
        switch rawValue {
        case "apple": self = .apple
        case "google": self = .google
        case _ where Self.isName(rawValue): self = .named(rawValue)
        default: return nil
        }
    }

    /// Whether a text can be a key of `providers`: an ASCII letter, and then letters, digits, `-` and `_`. It is part of
    /// paths, of records in the store and of metrics.
    static func isName(_ text: String) -> Bool {
        guard (1...longestName).contains(text.utf8.count), let first = text.utf8.first else { return false }
        return first.isLetterDigit(or: "") && !first.isDigit && text.utf8.allSatisfy { $0.isLetterDigit(or: "-_") }
    }
}

extension SignIn {
    /// The provider of this name in `providers`.
    public func named(_ name: String) -> NamedProvider? { named.first { $0.name == name } }

    /// The providers by which somebody can sign in to the tenant.
    public var providers: [Provider] {
        Provider.wellKnown.filter { provider in
            let isExchanged = provider == .apple ? apple != nil : google != nil
            return isExchanged || web?.provider == provider
        } + named.map { .named($0.name) }
    }
}
