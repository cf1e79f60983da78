/// The keyed hash of a whole token and its tenant. Without the key nobody can produce a collision, so that it stands
/// for the token where that is not kept.
package struct TokenDigest: Hashable, Sendable {
    let first: UInt64
    let second: UInt64
}

/// Hashes tokens with a random key of its own.
struct TokenHasher: Sendable {
    /// Of a longer signed token only as many bytes at its end select the cache entry, which then compares all of them:
    /// hashing 700 bytes costs 0.4 µs. The end of a signed token is its signature, so that choosing it is as hard as
    /// forging one. Opaque tokens may all end alike and are hashed whole.
    private static let longestWhole = 128
    private static let endHashed = 64
    private let sipHash = SipHash.withRandomKey()

    func digest(of token: Span<UInt8>, tenant: TenantRevision) -> TokenDigest {
        let (first, second) = sipHash.hash(token, seed: tenant.seed)
        return TokenDigest(first: first, second: second)
    }

    /// The token's key in ``TokenCache``.
    ///
    /// - Parameter mayBeOpaque: Whether the tenant takes opaque tokens.
    func key(of token: Span<UInt8>, tenant: TenantRevision, mayBeOpaque: Bool) -> TokenCache.Key {
        let seed = tenant.seed
        guard token.count > Self.longestWhole, !mayBeOpaque else {
            return TokenCache.Key(hash: sipHash.hash(token, seed: seed), tenant: tenant)
        }
        let end = token.extracting(last: Self.endHashed)
        let hash = sipHash.hash(end, seed: seed ^ UInt64(truncatingIfNeeded: token.count) << 32)
        return TokenCache.Key(hash: hash, tenant: tenant)
    }
}
