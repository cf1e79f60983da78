import NIOCore

/// The buffer in which HTTP/1.1 responses are assembled, one for all connections of a loop. It belongs to one
/// connection until that has written its content.
final class SharedOutput {
    var bytes: ByteBuffer
    private(set) var owner: (any SharedOutputOwner)?

    init(_ allocator: ByteBufferAllocator) { bytes = allocator.buffer(capacity: 16 << 10) }

    /// Takes the buffer, empty. The previous owner keeps its content: writing it here would write to another connection
    /// in the middle of a request, and a failed write runs whatever a close leads to.
    func take(for connection: any SharedOutputOwner) {
        guard owner !== connection else { return }
        owner?.keepOutput(bytes)
        bytes.clear()
        owner = connection
    }

    func isOwned(by connection: any SharedOutputOwner) -> Bool { owner === connection }

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
