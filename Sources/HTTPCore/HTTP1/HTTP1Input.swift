public import NIOCore

/// What was received on a connection of HTTP/1.1 and not used yet, and how the body in it is read.
public struct HTTP1Input {
    @usableFromInline var received = ByteBuffer()
    /// Bytes of an incomplete head that were searched for a line end already.
    public var searched = 0
    /// How the body that is read ends.
    public var decoder = BodyDecoder(RequestFraming.none)
    /// Whether the channel reads.
    public var isReading = true
    /// Whether the channel is closed: what came before is not read any more.
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

    /// An empty buffer is given back, so that the channel can read into it again.
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

    /// Whether a head may be complete: byte by byte, it is only looked at again when another of its lines is.
    ///
    /// - Parameter most: Bytes of a head; with more it is refused.
    @inlinable
    public mutating func mayHoldHead(most: Int) -> Bool {
        guard searched > 0, count < most, received.readableBytesUInt8Span.nextLineFeed(from: searched) == nil else {
            return true
        }
        searched = count
        return false
    }
}
