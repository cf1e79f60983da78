import Glibc
package import Time

/// Verified tokens of one event loop. A hit costs a hash and a comparison instead of a signature check.
///
/// Keyed by tenant and whole token: the hash only selects the set, the bytes decide. A set has eight entries, with
/// clock eviction. Only verified tokens enter, so forged ones cannot evict good ones; those are remembered in
/// ``RefusedTokenCache``.
package final class TokenCache {
    package struct Key: Sendable {
        package var hash: (UInt64, UInt64)
        package var tenant: TenantRevision
    }

    package final class Entry {
        package let caller: Caller
        fileprivate let tenant: TenantRevision
        fileprivate let token: [UInt8]
        fileprivate var wasUsed = false
        /// False once the cache has evicted it.
        fileprivate var isHeld = true

        fileprivate init(tenant: TenantRevision, token: [UInt8], caller: Caller) {
            self.tenant = tenant
            self.token = token
            self.caller = caller
        }

        /// The caller, if this is the entry of `token` and is still in the cache.
        package func caller(ofTenant tenant: TenantRevision, token: Span<UInt8>, at now: UnixTime) -> Caller? {
            guard isHeld, self.tenant == tenant, TokenCache.isSame(self.token, token), now < caller.lifetime.refusedFrom
            else {
                return nil
            }
            wasUsed = true
            return caller
        }
    }

    private static let ways = 8
    private let setMask: Int
    /// The second halves of the entries' hashes, side by side: a lookup reads one cache line of them and then one entry.
    private var tags: [UInt64]
    private var entries: [Entry?]
    /// One clock hand per set.
    private var hands: [UInt8]

    /// - Parameter sets: A power of two; the cache holds eight tokens per set.
    init(sets: Int = 4096) {
        setMask = sets - 1
        tags = Array(repeating: 0, count: sets * Self.ways)
        entries = Array(repeating: nil, count: sets * Self.ways)
        hands = Array(repeating: 0, count: sets)
    }

    /// The entry of a token that was verified before and is still of use at `now`: it has not expired, or may still be
    /// refreshed.
    package func entry(_ key: Key, token: Span<UInt8>, at now: UnixTime) -> Entry? {
        let first = firstIndex(key)
        for index in first..<(first + Self.ways) where tags[index] == key.hash.1 {
            guard let entry = entries[index], entry.tenant == key.tenant, Self.isSame(entry.token, token) else {
                continue
            }
            guard now < entry.caller.lifetime.forgottenFrom else {
                entry.isHeld = false
                entries[index] = nil
                tags[index] = 0
                return nil
            }
            entry.wasUsed = true
            return entry
        }
        return nil
    }

    package func insert(_ caller: Caller, _ key: Key, token: Span<UInt8>) {
        let copy = token.withUnsafeBufferPointer(Array.init)
        let index = indexToFill(key)
        entries[index]?.isHeld = false
        tags[index] = key.hash.1
        entries[index] = Entry(tenant: key.tenant, token: copy, caller: caller)
    }

    /// Removes the entry of a token, if there is one.
    package func remove(_ key: Key, token: Span<UInt8>) {
        let first = firstIndex(key)
        for index in first..<(first + Self.ways) where tags[index] == key.hash.1 {
            guard let entry = entries[index], entry.tenant == key.tenant, Self.isSame(entry.token, token) else {
                continue
            }
            entry.isHeld = false
            entries[index] = nil
            tags[index] = 0
        }
    }

    /// Removes the entries of some tenants, including those that connections remember.
    package func removeAll(where isGone: (TenantRevision) -> Bool) {
        for index in entries.indices {
            guard let entry = entries[index], isGone(entry.tenant) else { continue }
            entry.isHeld = false
            entries[index] = nil
            tags[index] = 0
        }
    }

    private func firstIndex(_ key: Key) -> Int {
        (Int(truncatingIfNeeded: key.hash.0) & setMask) * Self.ways
    }

    fileprivate static func isSame(_ stored: [UInt8], _ token: Span<UInt8>) -> Bool {
        guard stored.count == token.count, token.count > 0 else { return false }
        return token.withUnsafeBytes { left in
            stored.withUnsafeBytes { right in
                guard let left = left.baseAddress, let right = right.baseAddress else { return false }
                return memcmp(left, right, stored.count) == 0
            }
        }
    }

    private func indexToFill(_ key: Key) -> Int {
        let first = firstIndex(key)
        for index in first..<(first + Self.ways) where entries[index] == nil {
            return index
        }
        let set = first / Self.ways
        while true {
            let index = first + Int(hands[set])
            hands[set] = UInt8((Int(hands[set]) + 1) % Self.ways)
            guard let entry = entries[index], entry.wasUsed else { return index }
            entry.wasUsed = false
        }
    }
}
