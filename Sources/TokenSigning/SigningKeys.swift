public import Verification

/// The private keys that an issuer may sign with.
public struct SigningKeys: Sendable {
    public struct NamedKey: Sendable {
        /// The `kid` of its tokens.
        public let keyID: String
        public let key: SigningKey
    }

    /// In the order of their file names; never empty.
    public let keys: [NamedKey]
    /// The key that signs: the last.
    public let active: NamedKey

    /// - Returns: Nil if there are none.
    init?(_ keys: [NamedKey]) {
        guard let last = keys.last else { return nil }
        self.keys = keys
        active = last
    }
}
