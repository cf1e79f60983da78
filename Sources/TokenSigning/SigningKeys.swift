public import Verification

/// The private keys that an issuer may sign with.
public struct SigningKeys: Sendable {
    public struct NamedKey: Sendable {
        /// The `kid` of its tokens.
        public let keyID: String
        public let key: SigningKey
    }

    /// In the order of their source; never empty.
    public let keys: [NamedKey]
    /// The key that signs.
    public let active: NamedKey

    /// - Parameter active: The key that signs of `keys`.
    /// - Returns: Nil if there is none.
    init?(_ keys: [NamedKey], active: NamedKey?) {
        guard let active else { return nil }
        self.keys = keys
        self.active = active
    }
}

/// Where the private keys of an issuer are that the gateway does not make itself.
public protocol SigningKeySource: Sendable {
    /// The keys as they are now.
    func load() throws(SigningProblem) -> SigningKeys

    /// The public keys that others verify with, as they are now.
    func published() throws(SigningProblem) -> PublishedKeys
}
