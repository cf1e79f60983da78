public import NIOCore

/// One stream that is open or half-closed (RFC 9113 section 5.1), with its windows and what waits to be sent.
public struct HTTP2Stream: Sendable {
    let id: UInt32
    /// Bytes that the peer lets us send; below zero after a SETTINGS change (RFC 9113 section 6.9.2).
    var sendWindow: Int
    /// Bytes that the peer may still send.
    @usableFromInline var receiveWindow: Int
    /// Bytes that the owner got and has not passed on.
    var unconsumed = 0
    /// Bytes that the owner has passed on, and the peer was not told of yet.
    var unreturned = 0
    var expectedLength: Int?
    var receivedLength = 0

    /// Whether we have sent END_STREAM.
    var isLocalClosed = false
    /// Whether the peer has sent END_STREAM.
    @usableFromInline var isRemoteClosed = false
    /// Whether the head has come, interim responses left out: what comes next are trailers.
    var hasHead = false
    /// Whether what else the peer sends is dropped.
    @usableFromInline var isUnwanted = false

    @usableFromInline var queue = ByteBuffer()
    /// Whether END_STREAM follows the queue.
    var endsAfterQueue = false
    /// A whole trailer block that follows the queue.
    public var trailers: ByteBuffer?
    @usableFromInline var isCongested = false

    /// Its neighbours among the streams that have data and window; they are places in the table, -1 for none.
    var isReady = false
    var nextReady: Int32 = -1
    var previousReady: Int32 = -1

    init(id: UInt32, sendWindow: Int, receiveWindow: Int) {
        self.id = id
        self.sendWindow = sendWindow
        self.receiveWindow = receiveWindow
    }

    /// Whether the peer's END_STREAM has come where the announced length says.
    var hasExpectedLength: Bool { expectedLength.map { $0 == receivedLength } ?? true }

    /// Octets that wait to be sent.
    public var queuedLength: Int { queue.readableBytes + (trailers?.readableBytes ?? 0) }

    mutating func enqueue(_ bytes: ByteBuffer) {
        guard queue.readableBytes > 0 else {
            queue = bytes
            if 2 * queue.readableBytes < queue.storageCapacity { copyQueue() }
            return
        }
        // What was sent is let go before the buffer would grow for it.
        if queue.readerIndex > queue.readableBytes { queue.discardReadBytes() }
        queue.writeImmutableBuffer(bytes)
    }

    /// Takes the next bytes of the queue. What is left does not keep a buffer that is far larger.
    mutating func dequeue(_ length: Int) -> ByteBuffer? {
        let piece = queue.readSlice(length: length)
        if queue.readableBytes == 0 {
            queue = ByteBuffer()
        } else if 4 * queue.readableBytes < queue.storageCapacity {
            copyQueue()
        }
        return piece
    }

    /// A slice keeps the whole buffer that it was read into: a peer that takes all but a byte would have us keep 64 KiB.
    private mutating func copyQueue() {
        var copy = ByteBufferAllocator().buffer(capacity: queue.readableBytes)
        copy.writeImmutableBuffer(queue)
        queue = copy
    }
}
