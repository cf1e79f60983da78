import HTTPCore
import NIOCore

/// What was received on a connection and not used yet, and how the body in it is read.
struct HTTP1Input {
    /// Bytes of following requests that are kept while a response is under way.
    static let mostPipelined = 64 << 10

    private(set) var bytes = ByteBuffer()
    /// Bytes of an incomplete head that were searched for a line end already.
    var searched = 0
    var decoder = BodyDecoder(RequestFraming.none)
    /// Whether the channel reads.
    var isReading = true
    /// Whether the channel is closed: what came before is for nobody any more.
    var isClosed = false

    var count: Int { bytes.readableBytes }

    mutating func append(_ more: ByteBuffer) {
        guard count > 0 else {
            bytes = more
            return
        }
        bytes.discardReadBytes()
        bytes.writeImmutableBuffer(more)
    }

    mutating func drop(_ count: Int) { bytes.moveReaderIndex(forwardBy: count) }

    /// An empty buffer is given back, so that the channel can read into it again.
    mutating func dropIfEmpty() {
        if count == 0 { bytes = ByteBuffer() }
    }

    mutating func clear() { bytes = ByteBuffer() }

    mutating func takeAll() -> ByteBuffer {
        defer { bytes = ByteBuffer() }
        return bytes
    }

    /// Whether a head may be complete: byte by byte, it is only looked at again when another of its lines is.
    ///
    /// - Parameter most: Bytes of a head; with more it is refused.
    mutating func mayHoldHead(most: Int) -> Bool {
        guard searched > 0, count < most, bytes.readableBytesUInt8Span.nextLineFeed(from: searched) == nil else {
            return true
        }
        searched = count
        return false
    }
}
