import Time

/// Remembers things for a while, and no more than so many: of more the oldest are forgotten.
struct BoundedMemory<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Kept {
        var value: Value
        var until: MonotonicTime
        var number: UInt64
    }

    private let most: Int
    private var kept: [Key: Kept] = [:]
    /// In the order in which they came; one whose number is not its key's any more has been replaced.
    private var order: [(key: Key, number: UInt64)] = []
    private var first = 0
    private var last: UInt64 = 0

    init(most: Int) {
        self.most = most
    }

    var count: Int { kept.count }

    func value(for key: Key, at now: MonotonicTime) -> Value? {
        guard let known = kept[key], now < known.until else { return nil }
        return known.value
    }

    mutating func insert(_ value: Value, for key: Key, until: MonotonicTime, at now: MonotonicTime) {
        last += 1
        kept[key] = Kept(value: value, until: until, number: last)
        order.append((key, last))
        forget(at: now)
    }

    mutating func update(_ key: Key, _ change: (inout Value) -> Void) {
        guard var known = kept[key] else { return }
        change(&known.value)
        kept[key] = known
    }

    mutating func updateAll(_ change: (inout Value) -> Void) {
        for key in kept.keys { update(key, change) }
    }

    mutating func remove(_ key: Key) { kept[key] = nil }

    mutating func removeAll() {
        kept = [:]
        order = []
        first = 0
    }

    func all(at now: MonotonicTime) -> [(key: Key, value: Value)] {
        kept.filter { now < $0.value.until }.map { ($0.key, $0.value.value) }
    }

    private mutating func forget(at now: MonotonicTime) {
        while first < order.count {
            let (key, number) = order[first]
            if let known = kept[key], known.number == number {
                guard kept.count > most || now >= known.until else { break }
                kept[key] = nil
            }
            first += 1
        }
        // At least half of it is of no use then: each moves once at most.
        if order.count > 64 + 2 * kept.count {
            order = order[first...].filter { kept[$0.key]?.number == $0.number }
            first = 0
        }
    }
}
