import Time

/// Recently refused tokens, so that a flood of the same ones costs no signature checks.
///
/// Holds a keyed 128-bit hash and no token. Only refusals that do not depend on time enter, each for a short time.
final class RefusedTokenCache {
    private struct Entry {
        var hash: (UInt64, UInt64) = (0, 0)
        var forgottenFrom = UnixTime.distantPast
        var refusal: Refusal?
    }

    /// Seconds.
    static let lifetime = 30.0
    private static let ways = 4
    private let setMask: Int
    private var entries: [Entry]
    private var nextWay = 0

    /// - Parameter sets: A power of two; the cache holds four refusals per set.
    init(sets: Int = 4096) {
        setMask = sets - 1
        entries = Array(repeating: Entry(), count: sets * Self.ways)
    }

    /// Why a token was refused, if that is still remembered at `now`.
    func refusal(_ key: TokenCache.Key, at now: UnixTime) -> Refusal? {
        let first = firstIndex(key)
        for index in first..<(first + Self.ways)
        where entries[index].hash == key.hash && now < entries[index].forgottenFrom {
            return entries[index].refusal
        }
        return nil
    }

    /// - Parameter lifetime: Seconds.
    func insert(_ refusal: Refusal, _ key: TokenCache.Key, at now: UnixTime, for lifetime: Double = lifetime) {
        nextWay = (nextWay + 1) % Self.ways
        entries[firstIndex(key) + nextWay] = Entry(
            hash: key.hash,
            forgottenFrom: now + lifetime,
            refusal: refusal
        )
    }

    func removeAll() {
        for index in entries.indices { entries[index] = Entry() }
    }

    private func firstIndex(_ key: TokenCache.Key) -> Int {
        (Int(truncatingIfNeeded: key.hash.0) & setMask) * Self.ways
    }
}
