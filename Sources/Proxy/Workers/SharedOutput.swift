import NIOCore

/// The buffer in which HTTP/1.1 responses are assembled, one for all connections of a loop. It belongs to one
/// connection until that has written its content.
final class SharedOutput {
    var bytes: ByteBuffer
    /// Takes turns with ``bytes``: one gathers responses while the other's content is written.
    private var other: ByteBuffer
    private(set) var owner: (any SharedOutputOwner)?

    init(_ allocator: ByteBufferAllocator) {
        bytes = allocator.buffer(capacity: 16 << 10)
        other = allocator.buffer(capacity: 16 << 10)
    }

    /// Takes the buffer, empty. The previous owner keeps its content: writing it here would write to another connection
    /// in the middle of a request, and a failed write runs whatever a close leads to.
    func take(for connection: any SharedOutputOwner) {
        guard owner !== connection else { return }
        owner?.keepOutput(bytes)
        bytes.clear()
        owner = connection
    }

    /// Releases the buffer, and returns its content, to be written. Nil if this connection does not own it.
    ///
    /// A write may run other exchanges, which take the buffer. The memory is used again for the response after the next,
    /// if the content is written by then.
    func takeContent(of connection: any SharedOutputOwner) -> ByteBuffer? {
        guard owner === connection else { return nil }
        owner = nil
        swap(&bytes, &other)
        return other
    }

    /// Releases the buffer, with its content, if this connection owns it.
    func release(_ connection: any SharedOutputOwner) {
        if owner === connection { owner = nil }
    }
}

/// A connection that assembles responses in ``SharedOutput``.
protocol SharedOutputOwner: AnyObject {
    /// The buffer is taken away: write these bytes before anything else.
    func keepOutput(_ bytes: ByteBuffer)
}
