/// Sign-in with passkeys (WebAuthn Level 2).
public struct PasskeyRules: Sendable, Equatable {
    /// The domain that passkeys are for (RP ID): the tenant's host, or a domain above it.
    public var relyingParty: String
    /// Shown when a passkey is made.
    public var name: String
    /// How recently a provider must have signed somebody in for a passkey to do; nil: by ``SignIn/passkeyConfirmation``.
    public var confirmation: Duration?

    public init(relyingParty: String, name: String, confirmation: Duration? = nil) {
        self.relyingParty = relyingParty
        self.name = name
        self.confirmation = confirmation
    }

    /// Whether browsers use these passkeys on a host.
    public func apply(toHost host: some StringProtocol) -> Bool {
        host.utf8.elementsEqual(relyingParty.utf8)
            || (host.utf8.count > relyingParty.utf8.count + 1 && host.hasSuffix(".\(relyingParty)"))
    }
}

/// The paths below the account page, which the gateway answers too.
public enum AccountPagePath: String, Sendable, CaseIterable {
    /// The script of pages with passkeys.
    case script = "/passkeys.js"
    /// Where the sign-in page sends what an authenticator says.
    case signIn = "/passkeys"
}
