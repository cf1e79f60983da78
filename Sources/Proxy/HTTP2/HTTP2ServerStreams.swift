/// The objects of a connection's streams: of those that are open, and those that are to be used again.
struct HTTP2ServerStreams {
    private static let mostSpare = 16

    private(set) var open: [UInt32: HTTP2ServerStream] = [:]
    /// Streams that have ended, to be used again: a connection's requests need no new ones.
    private var spare: [HTTP2ServerStream] = []
    /// Those that have ended in this turn: whoever ended them may not be done with them.
    private(set) var ended: [HTTP2ServerStream] = []

    mutating func takeSpare() -> HTTP2ServerStream? { spare.popLast() }

    mutating func begin(_ id: UInt32, _ stream: HTTP2ServerStream) { open[id] = stream }

    mutating func end(_ stream: HTTP2ServerStream) {
        guard open.removeValue(forKey: stream.id) != nil else { return }
        ended.append(stream)
    }

    /// Gives whether one that has ended is kept to be used again.
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
