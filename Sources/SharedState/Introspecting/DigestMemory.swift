/// Values by the digests of tokens, as many as there is room for: the one that came first goes first.
public struct DigestMemory<Digest: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Held: Sendable {
        var value: Value
        /// In the ring.
        let place: Int
    }

    private let capacity: Int
    private var held: [Digest: Held] = [:]
    private var ring: [Digest] = []
    private var next = 0

    public init(capacity: Int) {
        self.capacity = capacity
    }

    var count: Int { held.count }

    public subscript(digest: Digest) -> Value? { held[digest]?.value }

    public mutating func insert(_ value: Value, for digest: Digest) {
        if held[digest] != nil {
            held[digest]?.value = value
        } else if ring.count < capacity {
            held[digest] = Held(value: value, place: ring.count)
            ring.append(digest)
        } else {
            // It may have been removed since, and have come back in another place.
            if held[ring[next]]?.place == next { held[ring[next]] = nil }
            held[digest] = Held(value: value, place: next)
            ring[next] = digest
            next = (next + 1) % capacity
        }
    }

    public mutating func remove(_ digest: Digest) {
        held[digest] = nil
    }
}
