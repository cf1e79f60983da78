public import Time

/// Records used proofs of possession, so that each is used once across all instances (RFC 9449 section 11.1).
public struct ProofMemory: Sendable {
    /// Seconds that another instance's clock may be behind this one's: it accepts a proof that much longer.
    private static let leeway = 30.0

    private let store: any Store
    private let tenant: String?

    /// - Parameter tenant: The callers' tenant; everything of a tenant is kept together in the store. A proof names its
    ///   URL, so it cannot be used at another tenant.
    public init(store: any Store, tenant: String? = nil) {
        self.store = store
        self.tenant = tenant
    }

    /// Records the use of a proof.
    ///
    /// - Parameters:
    ///   - keyThumbprint: Of the proof's key: proofs of different keys do not conflict.
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
