/// A dictionary with a fixed capacity, so that no client can make it grow: one more entry replaces the oldest, by when
/// its value was last put in. With an `Instant` of `Never` that is all; otherwise entries also expire.
///
/// It is for what costs no more than another question to forget. What must not be forgotten, such as a used proof,
/// belongs elsewhere.
public struct BoundedMap<Key: Hashable & Sendable, Value: Sendable, Instant: Comparable & Sendable>: Sendable {
    private struct Entry {
        var value: Value
        let until: Instant?
        let number: UInt64

        func isExpired(at now: Instant?) -> Bool {
            guard let until, let now else { return false }
            return now >= until
        }
    }

    private let capacity: Int
    private var entries: [Key: Entry] = [:]
    /// In the order in which they came; one whose number is not its key's any more has been replaced or removed.
    private var order: [(key: Key, number: UInt64)] = []
    private var first = 0
    private var last: UInt64 = 0

    public init(capacity: Int) {
        self.capacity = capacity
    }

    /// Includes expired entries that are still stored.
    public var count: Int { entries.count }

    public func value(for key: Key, at now: Instant) -> Value? {
        entries[key].flatMap { $0.isExpired(at: now) ? nil : $0.value }
    }

    /// - Parameter until: From then on it has expired.
    public mutating func insert(_ value: Value, for key: Key, until: Instant, at now: Instant) {
        put(value, key, until, now)
    }

    /// Changes a value in place; does nothing if there is none.
    public mutating func update(_ key: Key, _ change: (inout Value) -> Void) {
        guard var entry = entries[key] else { return }
        change(&entry.value)
        entries[key] = entry
    }

    public mutating func updateAll(_ change: (inout Value) -> Void) {
        for key in entries.keys { update(key, change) }
    }

    public mutating func remove(_ key: Key) { entries[key] = nil }

    public mutating func removeAll() { self = BoundedMap(capacity: capacity) }

    public func all(at now: Instant) -> [(key: Key, value: Value)] {
        entries.filter { !$0.value.isExpired(at: now) }.map { ($0.key, $0.value.value) }
    }

    private mutating func put(_ value: Value, _ key: Key, _ until: Instant?, _ now: Instant?) {
        last += 1
        entries[key] = Entry(value: value, until: until, number: last)
        order.append((key, last))
        while first < order.count {
            let (key, number) = order[first]
            if let entry = entries[key], entry.number == number {
                guard entries.count > capacity || entry.isExpired(at: now) else { break }
                entries[key] = nil
            }
            first += 1
        }
        // More than half of it is of no use then: at least as many go as move.
        if order.count > 64 + 2 * entries.count {
            order = order[first...].filter { entries[$0.key]?.number == $0.number }
            first = 0
        }
    }
}

extension BoundedMap where Instant == Never {
    public subscript(key: Key) -> Value? { entries[key]?.value }

    public mutating func insert(_ value: Value, for key: Key) { put(value, key, nil, nil) }
}
