public import NIOCore

/// A stream's data that windows or the socket hold back.
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
    /// Whether so much is waiting that the source should pause.
    @usableFromInline var isCongested = false

    /// Whether the owner has sent the end.
    var hasEnded: Bool {
        switch end {
        case .open: false
        case .endStream, .trailers: true
        }
    }

    /// Octets waiting to be sent, including trailers.
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
        // Release sent bytes before the buffer would grow.
        if bytes.readerIndex > bytes.readableBytes { bytes.discardReadBytes() }
        bytes.writeImmutableBuffer(more)
    }

    /// Takes the next bytes of the queue. The rest does not keep a much larger buffer alive.
    mutating func take(_ length: Int) -> ByteBuffer? {
        let piece = bytes.readSlice(length: length)
        if bytes.readableBytes == 0 {
            bytes = ByteBuffer()
        } else if 4 * bytes.readableBytes < bytes.storageCapacity {
            copyBytes()
        }
        return piece
    }

    /// A slice keeps the whole read buffer alive: a peer that takes all but one byte would make us keep 64 KiB.
    private mutating func copyBytes() {
        var copy = ByteBufferAllocator().buffer(capacity: bytes.readableBytes)
        copy.writeImmutableBuffer(bytes)
        bytes = copy
    }
}
