import Store
import Time

/// What a lookup of one digest finds.
struct RevocationEntry: Equatable, Sendable {
    /// Whether it was taken back.
    var isWithdrawn: Bool
    var revokedAt: UnixTime
    /// In whole seconds; `UInt32.max` stands for never. Rounded up: a second late, never early.
    var expiry: UInt32
    var version: UInt64

    init(isWithdrawn: Bool = false, revokedAt: UnixTime, expiresAt: UnixTime, version: UInt64) {
        self.isWithdrawn = isWithdrawn
        self.revokedAt = revokedAt
        self.version = version
        let seconds = expiresAt.seconds.rounded(.up)
        expiry = seconds < Double(UInt32.max) ? UInt32(max(0, seconds)) : .max
    }

    init(_ record: RevocationRecord) {
        self.init(
            isWithdrawn: record.isWithdrawn,
            revokedAt: record.revokedAt,
            expiresAt: record.expiresAt,
            version: record.version
        )
    }

    /// `.distantFuture`: never.
    var expiresAt: UnixTime { expiry == .max ? .distantFuture : UnixTime(Double(expiry)) }

    func isInForce(at now: UnixTime) -> Bool { !isWithdrawn && (expiry == .max || now.seconds < Double(expiry)) }
}

/// A hash table of revocations with open addressing: 40 bytes a place, at most three of four taken. It only grows; what
/// has expired is left out when it is made anew.
struct RevocationTable: Sendable {
    private struct Place {
        var high: UInt64 = 0
        var low: UInt64 = 0
        var revokedAt = UnixTime.distantPast
        var version: UInt64 = 0
        var expiry: UInt32 = 0
        var state = Place.free

        static let free: UInt32 = 0
        static let revoked: UInt32 = 1
        static let withdrawn: UInt32 = 2
    }

    private var places: [Place]
    private var mask: Int
    /// How many digests it knows, what was withdrawn included.
    private(set) var count = 0

    /// - Parameter capacity: How many entries it has room for without growing.
    init(capacity: Int = 0) {
        let needed = max(16, capacity + capacity / 3 + 1)
        let size = 1 << (Int.bitWidth - (needed - 1).leadingZeroBitCount)
        places = Array(repeating: Place(), count: size)
        mask = size - 1
    }

    /// Bytes that its places take.
    var byteCount: Int { places.count * MemoryLayout<Place>.stride }

    subscript(digest: RevocationDigest) -> RevocationEntry? {
        guard count > 0 else { return nil }
        let index = place(of: digest)
        return places[index].state == Place.free ? nil : Self.entry(places[index])
    }

    /// Takes the entry unless a later one is there. Gives whether it was taken.
    @discardableResult
    mutating func insert(_ entry: RevocationEntry, for digest: RevocationDigest) -> Bool {
        var index = place(of: digest)
        if places[index].state == Place.free {
            if (count + 1) * 4 > places.count * 3 {
                grow()
                index = place(of: digest)
            }
            count += 1
        } else if places[index].version >= entry.version {
            return false
        }
        places[index] = Place(
            high: digest.high,
            low: digest.low,
            revokedAt: entry.revokedAt,
            version: entry.version,
            expiry: entry.expiry,
            state: entry.isWithdrawn ? Place.withdrawn : Place.revoked
        )
        return true
    }

    func forEach(_ body: (RevocationDigest, RevocationEntry) -> Void) {
        for place in places where place.state != Place.free {
            body(RevocationDigest(high: place.high, low: place.low), Self.entry(place))
        }
    }

    private static func entry(_ place: Place) -> RevocationEntry {
        var entry = RevocationEntry(
            isWithdrawn: place.state == Place.withdrawn,
            revokedAt: place.revokedAt,
            expiresAt: .distantPast,
            version: place.version
        )
        entry.expiry = place.expiry
        return entry
    }

    /// Where the digest is, or would be put. Digests are evenly spread by themselves.
    private func place(of digest: RevocationDigest) -> Int {
        var index = Int(truncatingIfNeeded: digest.low) & mask
        while places[index].state != Place.free,
            places[index].high != digest.high || places[index].low != digest.low
        {
            index = (index + 1) & mask
        }
        return index
    }

    private mutating func grow() {
        var larger = RevocationTable(capacity: places.count)
        forEach { digest, entry in larger.insert(entry, for: digest) }
        self = larger
    }
}
