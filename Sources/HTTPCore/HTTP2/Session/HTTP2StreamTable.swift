import NIOCore

/// The streams of a connection, found by their identifier, and the ring of those that may send.
///
/// A hash table of places in an array: identifiers go up by two, so that half of one, cut to the table's size, hardly
/// ever meets another. Streams are used where they stand; nothing is allocated for a stream once the table has grown.
public struct HTTP2StreamTable: Sendable {
    private var streams: [HTTP2Stream] = []
    private var vacant: [Int32] = []
    /// Places plus one; 0 where there is none.
    private var index: [Int32]
    @usableFromInline private(set) var count = 0
    /// Octets that wait in the queues of all streams.
    @usableFromInline private(set) var queuedLength = 0
    /// The stream whose turn to send it is; -1 for none.
    private var firstReady: Int32 = -1
    private var lastReady: Int32 = -1

    init() {
        index = [Int32](repeating: 0, count: 16)
    }

    @usableFromInline
    subscript(place: Int) -> HTTP2Stream {
        _read { yield streams[place] }
        _modify { yield &streams[place] }
    }

    @usableFromInline
    func place(of id: UInt32) -> Int? {
        var position = home(of: id)
        while index[position] != 0 {
            let place = Int(index[position]) - 1
            if streams[place].id == id { return place }
            position = (position + 1) & (index.count - 1)
        }
        return nil
    }

    /// - Parameter stream: With an identifier that is not in the table.
    @discardableResult
    public mutating func insert(_ stream: HTTP2Stream) -> Int {
        if 2 * (count + 1) > index.count { grow() }
        count += 1
        let place: Int
        if let free = vacant.popLast() {
            place = Int(free)
            streams[place] = stream
        } else {
            place = streams.count
            streams.append(stream)
        }
        enter(place)
        return place
    }

    public mutating func remove(at place: Int) {
        leaveReady(place)
        queuedLength -= streams[place].queue.length
        var hole = home(of: streams[place].id)
        while index[hole] != Int32(place) + 1 { hole = (hole + 1) & (index.count - 1) }
        closeHole(hole)
        // Lets go of its buffers; the identifier 0 is no stream's.
        streams[place] = HTTP2Stream(id: 0, sendWindow: 0, receiveWindow: 0)
        vacant.append(Int32(place))
        count -= 1
    }

    /// The identifiers of all streams above `id`, in no order.
    func identifiers(above id: UInt32) -> [UInt32] {
        streams.lazy.map(\.id).filter { $0 > id }
    }

    mutating func adjustSendWindows(by delta: Int) throws(HTTP2Violation) {
        for place in streams.indices where streams[place].id != 0 {
            streams[place].sendWindow += delta
            guard streams[place].sendWindow <= HTTP2Settings.largestWindow else {
                throw .connection(.flowControlError, "SETTINGS take a stream's window above 2^31-1")
            }
            updateReady(place)
        }
    }

    mutating func adjustReceiveWindows(by delta: Int) {
        for place in streams.indices { streams[place].receiving.window += delta }
    }

    // MARK: The queues

    /// Adds to a stream's queue.
    mutating func enqueue(_ bytes: ByteBuffer, at place: Int) {
        streams[place].queue.append(bytes)
        queuedLength += bytes.readableBytes
    }

    /// Has a trailer block follow a stream's queue.
    mutating func enqueue(trailers block: ByteBuffer, at place: Int) {
        streams[place].queue.end = .trailers(block)
        queuedLength += block.readableBytes
    }

    mutating func dequeue(_ length: Int, at place: Int) -> ByteBuffer? {
        guard let piece = streams[place].queue.take(length) else { return nil }
        queuedLength -= length
        return piece
    }

    /// The trailers, of `length` octets, are sent.
    mutating func trailersDequeued(_ length: Int, at place: Int) {
        streams[place].queue.end = .endStream
        queuedLength -= length
    }

    // MARK: The ring of streams that have data and window

    @usableFromInline var readyPlace: Int? { firstReady < 0 ? nil : Int(firstReady) }

    /// Puts a stream where it belongs after its queue or its window changed: at the end of the ring, or out of it.
    mutating func updateReady(_ place: Int) {
        let mayGo = streams[place].sendWindow > 0 && streams[place].queue.bytes.readableBytes > 0
        if mayGo && !streams[place].ready.isReady {
            joinReady(place)
        } else if !mayGo {
            leaveReady(place)
        }
    }

    /// Lets the others go first.
    mutating func moveReadyToEnd(_ place: Int) {
        guard lastReady != Int32(place) else { return }
        leaveReady(place)
        joinReady(place)
    }

    private mutating func joinReady(_ place: Int) {
        streams[place].ready.isReady = true
        streams[place].ready.previous = lastReady
        streams[place].ready.next = -1
        if lastReady < 0 { firstReady = Int32(place) } else { streams[Int(lastReady)].ready.next = Int32(place) }
        lastReady = Int32(place)
    }

    private mutating func leaveReady(_ place: Int) {
        guard streams[place].ready.isReady else { return }
        let previous = streams[place].ready.previous
        let next = streams[place].ready.next
        if previous < 0 { firstReady = next } else { streams[Int(previous)].ready.next = next }
        if next < 0 { lastReady = previous } else { streams[Int(next)].ready.previous = previous }
        streams[place].ready.isReady = false
    }

    // MARK: The hash table

    private func home(of id: UInt32) -> Int { Int(id >> 1) & (index.count - 1) }

    private mutating func enter(_ place: Int) {
        var position = home(of: streams[place].id)
        while index[position] != 0 { position = (position + 1) & (index.count - 1) }
        index[position] = Int32(place) + 1
    }

    /// Moves later entries of the same run up, so that a search never ends too early.
    private mutating func closeHole(_ start: Int) {
        let mask = index.count - 1
        var hole = start
        var position = (hole + 1) & mask
        while index[position] != 0 {
            let wanted = home(of: streams[Int(index[position]) - 1].id)
            if (position &- wanted) & mask >= (position &- hole) & mask {
                index[hole] = index[position]
                hole = position
            }
            position = (position + 1) & mask
        }
        index[hole] = 0
    }

    private mutating func grow() {
        index = [Int32](repeating: 0, count: 2 * index.count)
        for place in streams.indices where streams[place].id != 0 { enter(place) }
    }
}
