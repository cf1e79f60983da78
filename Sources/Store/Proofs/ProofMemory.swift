public import Time

/// Which proofs of possession were used, so that none is used twice at any instance (RFC 9449 section 11.1).
public struct ProofMemory: Sendable {
    /// Seconds that another instance's clock may be behind this one's: it takes a proof for good for so much longer.
    private static let leeway = 30.0

    private let store: any Store
    private let tenant: String?

    /// - Parameter tenant: Whose callers prove; what belongs to a tenant is kept together in the store. A proof names
    ///   the URL that it is for, so it is of no use at another tenant.
    public init(store: any Store, tenant: String? = nil) {
        self.store = store
        self.tenant = tenant
    }

    /// Takes note that a proof was used.
    ///
    /// - Parameters:
    ///   - keyThumbprint: Of the proof's key: what one key signs cannot stand in the way of another's.
    ///   - id: Its `jti`.
    ///   - until: The time from which it is too old.
    /// - Returns: Whether it was not used before.
    public func isFirstUse(
        keyThumbprint: [UInt8],
        id: String,
        until: UnixTime,
        at now: UnixTime
    ) async throws(StoreError) -> Bool {
        let key = StoreKey(tenant: tenant, kind: "proof", hashing: keyThumbprint + Array(id.utf8))
        let lifetime = Duration.seconds(max(1, until - now) + Self.leeway)
        return try await store.replace(nil, with: [1], for: key, lifetime: lifetime)
    }
}
