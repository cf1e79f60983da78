public import NIOCore

/// What a stream has to send, and the windows or the socket hold back.
@usableFromInline
struct HTTP2SendQueue: Sendable {
    /// What follows the queued bytes.
    enum End: Sendable {
        /// The owner may send more.
        case open
        case endStream
        /// A whole trailer block.
        case trailers(ByteBuffer)
    }

    @usableFromInline private(set) var bytes = ByteBuffer()
    var end = End.open
    /// Whether so much waits that the source should pause.
    @usableFromInline var isCongested = false

    init() {}

    /// Whether the owner has said all.
    var hasEnded: Bool {
        switch end {
        case .open: false
        case .endStream, .trailers: true
        }
    }

    /// Octets that wait to be sent, with those of trailers.
    var length: Int {
        switch end {
        case .open, .endStream: bytes.readableBytes
        case .trailers(let block): bytes.readableBytes + block.readableBytes
        }
    }

    mutating func append(_ more: ByteBuffer) {
        guard bytes.readableBytes > 0 else {
            bytes = more
            if 2 * bytes.readableBytes < bytes.storageCapacity { copyBytes() }
            return
        }
        // What was sent is let go before the buffer would grow for it.
        if bytes.readerIndex > bytes.readableBytes { bytes.discardReadBytes() }
        bytes.writeImmutableBuffer(more)
    }

    /// Takes the next bytes of the queue. What is left does not keep a buffer that is far larger.
    mutating func take(_ length: Int) -> ByteBuffer? {
        let piece = bytes.readSlice(length: length)
        if bytes.readableBytes == 0 {
            bytes = ByteBuffer()
        } else if 4 * bytes.readableBytes < bytes.storageCapacity {
            copyBytes()
        }
        return piece
    }

    /// A slice keeps the whole buffer that it was read into: a peer that takes all but a byte would have us keep 64 KiB.
    private mutating func copyBytes() {
        var copy = ByteBufferAllocator().buffer(capacity: bytes.readableBytes)
        copy.writeImmutableBuffer(bytes)
        bytes = copy
    }
}
