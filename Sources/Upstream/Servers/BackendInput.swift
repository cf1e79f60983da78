import HTTPCore
import NIOCore

/// What was received from a server and not used yet.
struct BackendInput {
    private(set) var bytes = ByteBuffer()
    /// Bytes of an incomplete head that were searched for a line end already.
    var searched = 0
    /// How the body of the response that is read ends.
    var decoder = BodyDecoder(ResponseFraming.none)
    /// Whether the channel reads.
    var isReading = true

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

    mutating func takeAll() -> ByteBuffer {
        defer { bytes = ByteBuffer() }
        return bytes
    }
}
