/// The objects of a connection's streams: open ones, and ended ones for reuse.
struct HTTP2ServerStreams {
    private static let mostSpare = 16

    private(set) var open: [UInt32: HTTP2ServerStream] = [:]
    /// Ended streams for reuse: a connection's further requests need no new ones.
    private var spare: [HTTP2ServerStream] = []
    /// Streams that ended in this turn: the code that ended them may still use them.
    private(set) var ended: [HTTP2ServerStream] = []

    mutating func takeSpare() -> HTTP2ServerStream? { spare.popLast() }

    mutating func begin(_ id: UInt32, _ stream: HTTP2ServerStream) { open[id] = stream }

    mutating func end(_ stream: HTTP2ServerStream) {
        guard open.removeValue(forKey: stream.id) != nil else { return }
        ended.append(stream)
    }

    /// Returns whether an ended stream is kept for reuse.
    mutating func keep(_ stream: HTTP2ServerStream) -> Bool {
        guard spare.count < Self.mostSpare else { return false }
        spare.append(stream)
        return true
    }

    mutating func forgetEnded() { ended.removeAll(keepingCapacity: true) }

    mutating func takeOpen() -> [UInt32: HTTP2ServerStream] {
        defer { open = [:] }
        return open
    }

    mutating func takeSpares() -> [HTTP2ServerStream] {
        defer { spare = [] }
        return spare
    }
}
