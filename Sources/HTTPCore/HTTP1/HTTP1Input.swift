public import NIOCore

/// Received and unused bytes of an HTTP/1.1 connection, and the decoder of the body in them.
public struct HTTP1Input {
    @usableFromInline var received = ByteBuffer()
    /// Bytes of an incomplete head that were already searched for a line end.
    public var searched = 0
    /// The framing of the current body.
    public var decoder = BodyDecoder(RequestFraming.none)
    /// Whether the channel reads.
    public var isReading = true
    /// Whether the channel is closed: earlier bytes are no longer read.
    public var isClosed = false

    @inlinable
    public init() {}

    @inlinable
    public var bytes: ByteBuffer { received }

    @inlinable
    public var count: Int { received.readableBytes }

    @inlinable
    public mutating func append(_ more: ByteBuffer) {
        guard count > 0 else {
            received = more
            return
        }
        received.discardReadBytes()
        received.writeImmutableBuffer(more)
    }

    @inlinable
    public mutating func drop(_ count: Int) { received.moveReaderIndex(forwardBy: count) }

    /// An empty buffer is returned, so that the channel can read into it again.
    @inlinable
    public mutating func dropIfEmpty() {
        if count == 0 { received = ByteBuffer() }
    }

    @inlinable
    public mutating func clear() { received = ByteBuffer() }

    @inlinable
    public mutating func takeAll() -> ByteBuffer {
        defer { received = ByteBuffer() }
        return received
    }

    /// Whether a head may be complete: if it comes byte by byte, it is parsed again only after another complete line.
    ///
    /// - Parameter most: The maximum bytes of a head; a longer one is refused.
    @inlinable
    public mutating func mayHoldHead(most: Int) -> Bool {
        guard searched > 0, count < most, received.readableBytesUInt8Span.nextLineFeed(from: searched) == nil else {
            return true
        }
        searched = count
        return false
    }
}
