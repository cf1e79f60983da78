import NIOCore

/// The streams of a connection, found by their identifier, and the ring of those that may send.
///
/// A hash table of slots in an array: identifiers go up by two, so that half of one, cut to the table's size, hardly
/// ever meets another. Streams are used where they stand; nothing is allocated for a stream once the table has grown.
public struct HTTP2StreamTable: Sendable {
    private var streams: [HTTP2Stream] = []
    private var vacant: [Int32] = []
    /// Slots plus one; 0 where there is none.
    private var index: [Int32]
    @usableFromInline private(set) var count = 0
    /// Octets in the queues of all streams.
    @usableFromInline private(set) var queuedLength = 0
    /// The next stream to send; -1 for none.
    private var firstReady: Int32 = -1
    private var lastReady: Int32 = -1

    init() {
        index = [Int32](repeating: 0, count: 16)
    }

    @usableFromInline
    subscript(slot: Int) -> HTTP2Stream {
        _read { yield streams[slot] }
        _modify { yield &streams[slot] }
    }

    @usableFromInline
    func slot(of id: UInt32) -> Int? {
        var position = home(of: id)
        while index[position] != 0 {
            let slot = Int(index[position]) - 1
            if streams[slot].id == id { return slot }
            position = (position + 1) & (index.count - 1)
        }
        return nil
    }

    /// - Parameter stream: With an identifier that is not in the table.
    @discardableResult
    public mutating func insert(_ stream: HTTP2Stream) -> Int {
        if 2 * (count + 1) > index.count { grow() }
        count += 1
        let slot: Int
        if let free = vacant.popLast() {
            slot = Int(free)
            streams[slot] = stream
        } else {
            slot = streams.count
            streams.append(stream)
        }
        enter(slot)
        return slot
    }

    public mutating func remove(at slot: Int) {
        leaveReady(slot)
        queuedLength -= streams[slot].queue.length
        var hole = home(of: streams[slot].id)
        while index[hole] != Int32(slot) + 1 { hole = (hole + 1) & (index.count - 1) }
        closeHole(hole)
        // Releases its buffers; no stream has the identifier 0.
        streams[slot] = HTTP2Stream(id: 0, sendWindow: 0, receiveWindow: 0)
        vacant.append(Int32(slot))
        count -= 1
    }

    /// The identifiers of all streams above `id`, in no order.
    func identifiers(above id: UInt32) -> [UInt32] {
        streams.lazy.map(\.id).filter { $0 > id }
    }

    mutating func adjustSendWindows(by delta: Int) throws(HTTP2Violation) {
        for slot in streams.indices where streams[slot].id != 0 {
            streams[slot].sendWindow += delta
            guard streams[slot].sendWindow <= HTTP2Settings.largestWindow else {
                throw .connection(.flowControlError, "SETTINGS take a stream's window above 2^31-1")
            }
            updateReady(slot)
        }
    }

    mutating func adjustReceiveWindows(by delta: Int) {
        for slot in streams.indices { streams[slot].receiving.window += delta }
    }

    // MARK: The queues

    /// Adds to a stream's queue.
    mutating func enqueue(_ bytes: ByteBuffer, at slot: Int) {
        streams[slot].queue.append(bytes)
        queuedLength += bytes.readableBytes
    }

    /// Adds a trailer block after a stream's queue.
    mutating func enqueue(trailers block: ByteBuffer, at slot: Int) {
        streams[slot].queue.end = .trailers(block)
        queuedLength += block.readableBytes
    }

    mutating func dequeue(_ length: Int, at slot: Int) -> ByteBuffer? {
        guard let piece = streams[slot].queue.take(length) else { return nil }
        queuedLength -= length
        return piece
    }

    /// The trailers, of `length` octets, are sent.
    mutating func trailersDequeued(_ length: Int, at slot: Int) {
        streams[slot].queue.end = .endStream
        queuedLength -= length
    }

    // MARK: The ring of streams that have data and window

    @usableFromInline var readySlot: Int? { firstReady < 0 ? nil : Int(firstReady) }

    /// Puts a stream where it belongs after its queue or its window changed: at the end of the ring, or out of it.
    mutating func updateReady(_ slot: Int) {
        let mayGo = streams[slot].sendWindow > 0 && streams[slot].queue.bytes.readableBytes > 0
        if mayGo && !streams[slot].ready.isReady {
            joinReady(slot)
        } else if !mayGo {
            leaveReady(slot)
        }
    }

    /// Lets the others go first.
    mutating func moveReadyToEnd(_ slot: Int) {
        guard lastReady != Int32(slot) else { return }
        leaveReady(slot)
        joinReady(slot)
    }

    private mutating func joinReady(_ slot: Int) {
        streams[slot].ready.isReady = true
        streams[slot].ready.previous = lastReady
        streams[slot].ready.next = -1
        if lastReady < 0 { firstReady = Int32(slot) } else { streams[Int(lastReady)].ready.next = Int32(slot) }
        lastReady = Int32(slot)
    }

    private mutating func leaveReady(_ slot: Int) {
        guard streams[slot].ready.isReady else { return }
        let previous = streams[slot].ready.previous
        let next = streams[slot].ready.next
        if previous < 0 { firstReady = next } else { streams[Int(previous)].ready.next = next }
        if next < 0 { lastReady = previous } else { streams[Int(next)].ready.previous = previous }
        streams[slot].ready.isReady = false
    }

    // MARK: The hash table

    private func home(of id: UInt32) -> Int { Int(id >> 1) & (index.count - 1) }

    private mutating func enter(_ slot: Int) {
        var position = home(of: streams[slot].id)
        while index[position] != 0 { position = (position + 1) & (index.count - 1) }
        index[position] = Int32(slot) + 1
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
        for slot in streams.indices where streams[slot].id != 0 { enter(slot) }
    }
}
