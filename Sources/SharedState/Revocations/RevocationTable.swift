import Store
import Time

/// The entry of one digest.
struct RevocationEntry: Equatable, Sendable {
    var isWithdrawn: Bool
    var revokedAt: UnixTime
    /// In whole Unix seconds, rounded up; `UInt32.max`: never.
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

/// A hash table of revocations with open addressing: 40 bytes a slot, at most three of four taken. It only grows; a
/// merge leaves out expired entries.
struct RevocationTable: Sendable {
    private struct Slot {
        var high: UInt64 = 0
        var low: UInt64 = 0
        var revokedAt = UnixTime.distantPast
        var version: UInt64 = 0
        var expiry: UInt32 = 0
        var state = Slot.free

        static let free: UInt32 = 0
        static let revoked: UInt32 = 1
        static let withdrawn: UInt32 = 2
    }

    private var slots: [Slot]
    private var mask: Int
    /// The number of digests, including withdrawn ones.
    private(set) var count = 0

    /// - Parameter capacity: The number of entries that it can take without growing.
    init(capacity: Int = 0) {
        let needed = max(16, capacity + capacity / 3 + 1)
        let size = 1 << (Int.bitWidth - (needed - 1).leadingZeroBitCount)
        slots = Array(repeating: Slot(), count: size)
        mask = size - 1
    }

    /// The size of its slots in bytes.
    var byteCount: Int { slots.count * MemoryLayout<Slot>.stride }

    subscript(digest: RevocationDigest) -> RevocationEntry? {
        guard count > 0 else { return nil }
        let index = slot(of: digest)
        return slots[index].state == Slot.free ? nil : Self.entry(slots[index])
    }

    /// Inserts the entry unless there is a later one.
    ///
    /// - Returns: Whether it was inserted.
    @discardableResult
    mutating func insert(_ entry: RevocationEntry, for digest: RevocationDigest) -> Bool {
        var index = slot(of: digest)
        if slots[index].state == Slot.free {
            if (count + 1) * 4 > slots.count * 3 {
                grow()
                index = slot(of: digest)
            }
            count += 1
        } else if slots[index].version >= entry.version {
            return false
        }
        slots[index] = Slot(
            high: digest.high,
            low: digest.low,
            revokedAt: entry.revokedAt,
            version: entry.version,
            expiry: entry.expiry,
            state: entry.isWithdrawn ? Slot.withdrawn : Slot.revoked
        )
        return true
    }

    func forEach(_ body: (RevocationDigest, RevocationEntry) -> Void) {
        for slot in slots where slot.state != Slot.free {
            body(RevocationDigest(high: slot.high, low: slot.low), Self.entry(slot))
        }
    }

    private static func entry(_ slot: Slot) -> RevocationEntry {
        var entry = RevocationEntry(
            isWithdrawn: slot.state == Slot.withdrawn,
            revokedAt: slot.revokedAt,
            expiresAt: .distantPast,
            version: slot.version
        )
        entry.expiry = slot.expiry
        return entry
    }

    /// The index of the digest's slot, or of a free one for it. Digests are evenly distributed.
    private func slot(of digest: RevocationDigest) -> Int {
        var index = Int(truncatingIfNeeded: digest.low) & mask
        while slots[index].state != Slot.free,
            slots[index].high != digest.high || slots[index].low != digest.low
        {
            index = (index + 1) & mask
        }
        return index
    }

    private mutating func grow() {
        var larger = RevocationTable(capacity: slots.count)
        forEach { digest, entry in larger.insert(entry, for: digest) }
        self = larger
    }
}
