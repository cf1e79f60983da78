import HTTPCore
import NIOCore

/// Output for a server that is gathered and not written yet.
struct BackendOutput {
    /// The head of a request and small pieces of its body. Kept until the response begins, in case the request has to
    /// be tried again.
    var buffer: ByteBuffer
    /// The offset of the first unwritten byte.
    private var unwrittenFrom = 0
    private(set) var isChunked = false
    /// Whether the whole request is written.
    var isComplete = false
    /// Whether something was written since the last flush.
    var hasUnflushed = false
    /// The channel's last report.
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

    /// The bytes that are kept for another server. Only ``takeHead()`` may pass them on.
    mutating func takeKept() -> ByteBuffer {
        defer {
            buffer = ByteBuffer()
            unwrittenFrom = 0
        }
        return buffer
    }

    /// Nil if all is written.
    mutating func takeUnwritten() -> ByteBuffer? {
        let start = buffer.readerIndex + unwrittenFrom
        guard buffer.readableBytes > unwrittenFrom,
            let bytes = buffer.getSlice(at: start, length: buffer.readableBytes - unwrittenFrom)
        else { return nil }
        unwrittenFrom = buffer.readableBytes
        return bytes
    }

    /// Written bytes need not be kept.
    mutating func forget() {
        buffer.clear()
        unwrittenFrom = 0
    }
}
