/// A dictionary that drops its oldest entries, so that no client can make a sample backend grow without limit.
struct BoundedTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let capacity: Int
    private var values: [Key: Value] = [:]
    /// Keys by age; a ring once it is full.
    private var order: [Key] = []
    private var oldest = 0

    init(capacity: Int = 10_000) {
        self.capacity = capacity
    }

    subscript(key: Key) -> Value? {
        values[key]
    }

    mutating func set(_ value: Value, for key: Key) {
        guard values.updateValue(value, forKey: key) == nil else { return }
        if order.count < capacity {
            order.append(key)
        } else {
            values[order[oldest]] = nil
            order[oldest] = key
            oldest = (oldest + 1) % capacity
        }
    }
}
