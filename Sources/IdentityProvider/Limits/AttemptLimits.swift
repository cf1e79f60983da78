import Synchronization
public import Time
import Verification

/// Counts attempts by key, in bounded memory, for all connections of one instance.
///
/// If the table is full, a new key replaces the one among the next sixteen whose allowance is nearest to full:
/// forgetting it changes least. So a flood of new addresses evicts its own keys, which have used little of their
/// limit, before a key that has reached its limit.
public final class AttemptLimits: Sendable {
    private let table: Mutex<AttemptTable>

    /// - Parameter capacity: The maximum number of keys.
    public init(capacity: Int = 65_536) {
        table = Mutex(AttemptTable(capacity: capacity))
    }

    /// Counts one attempt, if it is within the limit; a refused one is not counted.
    ///
    /// - Parameters:
    ///   - key: Any bytes, such as ``key(address:)``.
    public func admit(_ key: [UInt8], _ limit: AttemptLimit, at now: UnixTime) -> AttemptDecision {
        let now = Self.microseconds(now)
        return table.withLock { $0.admit(AttemptKey(limit, key), limit, at: now) }
    }

    /// What ``admit(_:_:at:)`` would return, without counting: for limits whose result is known only later. A wrong
    /// secret, for example, must not be distinguishable from a right one while the limit is reached.
    public func check(_ key: [UInt8], _ limit: AttemptLimit, at now: UnixTime) -> AttemptDecision {
        let now = Self.microseconds(now)
        return table.withLock { $0.check(AttemptKey(limit, key), limit, at: now) }
    }

    /// Counts one attempt of a client's address, if it is within both limits; a refused one is counted by neither.
    ///
    /// - Parameters:
    ///   - address: As for ``key(address:)``.
    ///   - network: Of all addresses of an IPv6 network together, by its first 48 bits; nil for none.
    func admit(
        address: [UInt8],
        _ limit: AttemptLimit,
        network: AttemptLimit?,
        at now: UnixTime
    ) -> AttemptDecision {
        let key = Self.key(address: address)
        guard let network, key.count == Self.prefixLength else { return admit(key, limit, at: now) }
        let networkKey = AttemptKey(network, Array(key.prefix(Self.networkLength)))
        let time = Self.microseconds(now)
        return table.withLock { table in
            let whole = table.check(networkKey, network, at: time)
            guard case .admitted = whole else { return whole }
            let own = table.admit(AttemptKey(limit, key), limit, at: time)
            guard case .admitted = own else { return own }
            _ = table.admit(networkKey, network, at: time)
            return own
        }
    }

    /// Bytes of an IPv6 address that make a key of it, and of its network.
    private static let prefixLength = 8
    private static let networkLength = 6

    /// The key of a client's address: the whole IPv4 address, or the first 64 bits of IPv6, which is what one
    /// subscriber has (RFC 6177). An IPv4-mapped address (RFC 4291 section 2.5.5.2) counts as IPv4.
    ///
    /// - Parameter address: 4 or 16 bytes; clients with unknown addresses share one key.
    public static func key(address: [UInt8]) -> [UInt8] {
        guard address.count == 16 else { return address }
        let isMapped = address[..<10].allSatisfy { $0 == 0 } && address[10] == 0xFF && address[11] == 0xFF
        return isMapped ? Array(address[12...]) : Array(address[..<prefixLength])
    }

    /// Clamps the clock to a valid range.
    private static func microseconds(_ time: UnixTime) -> Int64 {
        time.seconds.isFinite ? Int64((min(max(time.seconds, 0), 1e11) * 1e6).rounded()) : 0
    }
}

/// A key as stored: at most as long as a digest, whatever clients send.
struct AttemptKey: Sendable, Hashable {
    private static let longest = 32

    private let limit: String
    private let bytes: [UInt8]

    init(_ limit: AttemptLimit, _ key: [UInt8]) {
        self.limit = limit.name
        // A final byte distinguishes a digest from a key with the same bytes.
        bytes = key.count <= Self.longest ? key + [0] : SHA256.digest(key) + [1]
    }
}

/// The stored keys.
struct AttemptTable: Sendable {
    private struct Entry: Sendable {
        let key: AttemptKey
        var fullAt: Int64
    }

    /// How many entries are considered for eviction.
    private static let candidates = 16

    private let capacity: Int
    private var entries: [Entry] = []
    private var indices: [AttemptKey: Int] = [:]
    private var hand = 0

    init(capacity: Int) {
        self.capacity = max(capacity, 1)
    }

    var count: Int { entries.count }

    func check(_ key: AttemptKey, _ limit: AttemptLimit, at now: Int64) -> AttemptDecision {
        CellRate(limit).admit(fullAt: indices[key].map { entries[$0].fullAt } ?? .min, at: now).decision
    }

    mutating func admit(_ key: AttemptKey, _ limit: AttemptLimit, at now: Int64) -> AttemptDecision {
        let rate = CellRate(limit)
        guard let index = indices[key] else {
            let (decision, fullAt) = rate.admit(fullAt: .min, at: now)
            add(Entry(key: key, fullAt: fullAt))
            return decision
        }
        let (decision, fullAt) = rate.admit(fullAt: entries[index].fullAt, at: now)
        entries[index].fullAt = fullAt
        return decision
    }

    private mutating func add(_ entry: Entry) {
        guard entries.count >= capacity else {
            indices[entry.key] = entries.count
            entries.append(entry)
            return
        }
        let index = indexToEvict()
        indices[entries[index].key] = nil
        indices[entry.key] = index
        entries[index] = entry
    }

    private mutating func indexToEvict() -> Int {
        var best = hand
        for _ in 0..<min(Self.candidates, entries.count) {
            let index = hand
            hand = (hand + 1) % entries.count
            if entries[index].fullAt < entries[best].fullAt { best = index }
        }
        return best
    }
}
