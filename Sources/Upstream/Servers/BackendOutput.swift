import HTTPCore
import NIOCore

/// What is gathered for a server and not written yet.
struct BackendOutput {
    /// The head of a request and small pieces of its body. Kept until the response begins, in case the request has to be
    /// made again.
    var buffer: ByteBuffer
    /// Where what is not written begins.
    private var unwrittenFrom = 0
    private(set) var isChunked = false
    /// Whether the whole request is written.
    var isComplete = false
    /// Whether something was written since the last flush.
    var hasUnflushed = false
    /// As the channel last said.
    var isWritable = true

    init(_ buffer: ByteBuffer) { self.buffer = buffer }

    /// The buffer, to write the next head into.
    mutating func takeBuffer() -> ByteBuffer {
        buffer.clear()
        unwrittenFrom = 0
        defer { buffer = ByteBuffer() }
        return buffer
    }

    mutating func begin(_ head: ForwardedHead, isChunked: Bool) {
        buffer = head.bytes
        unwrittenFrom = 0
        self.isChunked = isChunked
        isComplete = false
    }

    /// The head, for another server.
    mutating func takeHead() -> ByteBuffer { takeAll() }

    private mutating func takeAll() -> ByteBuffer {
        defer {
            buffer = ByteBuffer()
            unwrittenFrom = 0
        }
        return buffer
    }

    /// Nil where all is written.
    mutating func takeUnwritten() -> ByteBuffer? {
        let start = buffer.readerIndex + unwrittenFrom
        guard buffer.readableBytes > unwrittenFrom,
            let bytes = buffer.getSlice(at: start, length: buffer.readableBytes - unwrittenFrom)
        else { return nil }
        unwrittenFrom = buffer.readableBytes
        return bytes
    }

    /// What is written need not be kept.
    mutating func forget() {
        buffer.clear()
        unwrittenFrom = 0
    }
}

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
