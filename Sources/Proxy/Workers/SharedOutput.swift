import NIOCore

/// The buffer that responses over HTTP/1.1 are put together in, one for all connections of a loop: it belongs to one of
/// them until that has written what stands in it.
final class SharedOutput {
    var bytes: ByteBuffer
    private(set) var owner: (any SharedOutputOwner)?

    init(_ allocator: ByteBufferAllocator) { bytes = allocator.buffer(capacity: 16 << 10) }

    /// Takes the buffer, empty. What another owner has there it keeps: to write it from here would be to write to
    /// another connection in the middle of a request, and a write that fails runs whatever a close leads to.
    func take(for connection: any SharedOutputOwner) {
        guard owner !== connection else { return }
        owner?.keepOutput(bytes)
        bytes.clear()
        owner = connection
    }

    func isOwned(by connection: any SharedOutputOwner) -> Bool { owner === connection }

    /// Lets go of the buffer, with whatever stands in it, if it is this connection's.
    func letGo(_ connection: any SharedOutputOwner) {
        if owner === connection { owner = nil }
    }
}

/// A connection that puts responses together in ``SharedOutput``.
protocol SharedOutputOwner: AnyObject {
    /// The buffer is another's from now on: these bytes go ahead of all that this connection writes next.
    func keepOutput(_ bytes: ByteBuffer)
}
