import Synchronization
public import Time
import Verification

/// Counts attempts by key, in bounded memory, for all connections of one instance.
///
/// Where there is no room for another key, one of the next sixteen goes whose allowance is nearest to full: forgetting
/// it changes least. So a flood from ever new addresses pushes out its own, which used little each, before it pushes
/// out the one that used all it had.
public final class AttemptLimits: Sendable {
    private let table: Mutex<AttemptTable>

    /// - Parameter capacity: How many keys are remembered at most.
    public init(capacity: Int = 65_536) {
        table = Mutex(AttemptTable(capacity: capacity))
    }

    /// Counts one attempt, if it is within the limit; one that is refused is not counted.
    ///
    /// - Parameters:
    ///   - key: Whose it is: any bytes, like ``key(address:)``.
    public func admit(_ key: [UInt8], _ limit: AttemptLimit, at now: UnixTime) -> AttemptAnswer {
        let now = Self.microseconds(now)
        return table.withLock { $0.admit(AttemptKey(limit, key), limit, at: now) }
    }

    /// What ``admit(_:_:at:)`` would answer, without counting: for limits of what is known only afterwards, like a
    /// wrong secret, which must not be told from a right one while the limit is reached.
    public func ask(_ key: [UInt8], _ limit: AttemptLimit, at now: UnixTime) -> AttemptAnswer {
        let now = Self.microseconds(now)
        return table.withLock { $0.ask(AttemptKey(limit, key), limit, at: now) }
    }

    /// The key of a client's address: an IPv4 address whole, of IPv6 the first 64 bits, since that is what one
    /// subscriber has all of (RFC 6177). An IPv4 address in IPv6 (RFC 4291 section 2.5.5.2) is the one of IPv4.
    ///
    /// - Parameter address: 4 or 16 bytes; clients whose address is not known share one key.
    public static func key(address: [UInt8]) -> [UInt8] {
        guard address.count == 16 else { return address }
        let isMapped = address[..<10].allSatisfy { $0 == 0 } && address[10] == 0xFF && address[11] == 0xFF
        return isMapped ? Array(address[12...]) : Array(address[..<8])
    }

    /// Within what times are, whatever the clock says.
    private static func microseconds(_ time: UnixTime) -> Int64 {
        time.seconds.isFinite ? Int64((min(max(time.seconds, 0), 1e11) * 1e6).rounded()) : 0
    }
}

/// The key of an attempt as it is kept: as long as a digest at most, whatever clients send.
struct AttemptKey: Sendable, Hashable {
    private static let longest = 32

    private let limit: String
    private let bytes: [UInt8]

    init(_ limit: AttemptLimit, _ key: [UInt8]) {
        self.limit = limit.name
        // One byte behind tells a digest from a key that looks like one.
        bytes = key.count <= Self.longest ? key + [0] : SHA256.digest(key) + [1]
    }
}

/// The keys that are remembered.
struct AttemptTable: Sendable {
    private struct Entry: Sendable {
        let key: AttemptKey
        var fullAt: Int64
    }

    /// How many entries are looked at for one that goes.
    private static let looks = 16

    private let capacity: Int
    private var entries: [Entry] = []
    private var places: [AttemptKey: Int] = [:]
    private var hand = 0

    init(capacity: Int) {
        self.capacity = max(capacity, 1)
    }

    var count: Int { entries.count }

    func ask(_ key: AttemptKey, _ limit: AttemptLimit, at now: Int64) -> AttemptAnswer {
        CellRate(limit).admit(fullAt: places[key].map { entries[$0].fullAt } ?? .min, at: now).answer
    }

    mutating func admit(_ key: AttemptKey, _ limit: AttemptLimit, at now: Int64) -> AttemptAnswer {
        let rate = CellRate(limit)
        guard let place = places[key] else {
            let (answer, fullAt) = rate.admit(fullAt: .min, at: now)
            add(Entry(key: key, fullAt: fullAt))
            return answer
        }
        let (answer, fullAt) = rate.admit(fullAt: entries[place].fullAt, at: now)
        entries[place].fullAt = fullAt
        return answer
    }

    private mutating func add(_ entry: Entry) {
        guard entries.count >= capacity else {
            places[entry.key] = entries.count
            entries.append(entry)
            return
        }
        let place = placeToGiveUp()
        places[entries[place].key] = nil
        places[entry.key] = place
        entries[place] = entry
    }

    private mutating func placeToGiveUp() -> Int {
        var best = hand
        for _ in 0..<min(Self.looks, entries.count) {
            let place = hand
            hand = (hand + 1) % entries.count
            if entries[place].fullAt < entries[best].fullAt { best = place }
        }
        return best
    }
}
