import Time

/// Recently refused tokens, so that a flood of the same ones costs no signature checks.
///
/// Holds a keyed 128-bit hash and no token. Only refusals that do not depend on time enter, each for a short time. Like
/// ``TokenCache`` it is no `BoundedMap`: a request looks into it, and an array of sets is filled without allocating.
final class RefusedTokenCache {
    private struct Entry {
        var digest = TokenDigest(first: 0, second: 0)
        var forgottenFrom = UnixTime.distantPast
        /// Index into ``refusals``.
        var refusal: UInt16 = 0
    }

    /// Seconds.
    static let lifetime = 30.0
    private static let ways = 8
    /// Reasons come from a closed set; beyond as many, all is forgotten once.
    private static let mostRefusals = 256
    private let setMask: Int
    /// Made when the first token is refused.
    private var entries: [Entry] = []
    private var nextWay = 0
    /// Each once: an entry has half a cache line.
    private var refusals: [Refusal] = []

    /// - Parameter sets: A power of two; the cache holds eight refusals per set.
    init(sets: Int = 4096) {
        setMask = sets - 1
    }

    /// Why a token was refused, if that is still remembered at `now`.
    func refusal(_ digest: TokenDigest, at now: UnixTime) -> Refusal? {
        guard !entries.isEmpty else { return nil }
        let first = firstIndex(digest)
        for index in first..<(first + Self.ways)
        where entries[index].digest == digest && now < entries[index].forgottenFrom {
            return refusals[Int(entries[index].refusal)]
        }
        return nil
    }

    /// - Parameter lifetime: Seconds.
    func insert(_ refusal: Refusal, _ digest: TokenDigest, at now: UnixTime, for lifetime: Double = lifetime) {
        let reason = index(of: refusal)
        if entries.isEmpty { entries = Array(repeating: Entry(), count: (setMask + 1) * Self.ways) }
        entries[indexToFill(digest, at: now)] = Entry(
            digest: digest,
            forgottenFrom: now + lifetime,
            refusal: reason
        )
    }

    func removeAll() {
        entries = []
        refusals = []
    }

    private func index(of refusal: Refusal) -> UInt16 {
        if let known = refusals.firstIndex(of: refusal) { return UInt16(known) }
        if refusals.count == Self.mostRefusals { removeAll() }
        refusals.append(refusal)
        return UInt16(refusals.count - 1)
    }

    private func firstIndex(_ digest: TokenDigest) -> Int {
        (Int(truncatingIfNeeded: digest.first) & setMask) * Self.ways
    }

    /// The token's own entry, else one that is out of date, else the ways in turn.
    private func indexToFill(_ digest: TokenDigest, at now: UnixTime) -> Int {
        let set = firstIndex(digest)..<(firstIndex(digest) + Self.ways)
        if let known = set.first(where: { entries[$0].digest == digest }) { return known }
        if let free = set.first(where: { now >= entries[$0].forgottenFrom }) { return free }
        nextWay = (nextWay + 1) % Self.ways
        return set.lowerBound + nextWay
    }
}
