/// The streams that a ``BackendMultiplexer`` has leased.
struct LeasedStreams {
    /// Includes those whose request has not begun.
    private(set) var count = 0
    private var begun: [UInt32: BackendStream] = [:]
    /// Streams with output for their clients since the read began.
    private var touched: [BackendStream] = []

    var isEmpty: Bool { count == 0 }
    /// How many have no identifier yet.
    var pending: Int { count - begun.count }

    subscript(id: UInt32) -> BackendStream? { begun[id] }

    mutating func lease() { count += 1 }

    mutating func begin(_ stream: BackendStream, _ id: UInt32) { begun[id] = stream }

    /// - Parameter id: Nil for a stream that was not begun.
    /// - Returns: Whether there was one to end.
    mutating func end(_ id: UInt32?) -> Bool {
        if let id { begun[id] = nil }
        guard count > begun.count else { return false }
        count -= 1
        return true
    }

    /// Takes a stream that receives nothing more, and is still to end.
    mutating func take(_ id: UInt32) -> BackendStream? { begun.removeValue(forKey: id) }

    /// Takes all streams, which receive nothing more and are still to end.
    mutating func takeAll() -> [UInt32: BackendStream] {
        defer { begun = [:] }
        return begun
    }

    mutating func touch(_ stream: BackendStream) { touched.append(stream) }

    mutating func takeTouched() -> [BackendStream] {
        defer { touched.removeAll(keepingCapacity: true) }
        return touched
    }

    func forEachOwner(_ body: (any UpstreamRequestOwner) -> Void) {
        for stream in begun.values { if let owner = stream.request?.owner { body(owner) } }
    }
}
