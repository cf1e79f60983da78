import NIOCore

/// The buffers that a loop's channels read into: used again for the next read unless a handler keeps the bytes.
struct ReadBuffers {
    /// Most messages fit; what is kept of a request that waits is no larger.
    static let smallCapacity = 8 << 10
    /// For a channel that filled the last one.
    static let largeCapacity = 64 << 10

    private var small: ByteBuffer?
    private var large: ByteBuffer?

    mutating func take(large isLarge: Bool) -> ByteBuffer {
        if var buffer = isLarge ? large.take() : small.take() {
            buffer.clear()
            return buffer
        }
        return ByteBufferAllocator().buffer(capacity: isLarge ? Self.largeCapacity : Self.smallCapacity)
    }

    mutating func giveBack(_ buffer: consuming ByteBuffer, large isLarge: Bool) {
        if isLarge { large = buffer } else { small = buffer }
    }
}
