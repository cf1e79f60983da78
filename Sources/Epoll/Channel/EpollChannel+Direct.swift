import Glibc
package import NIOCore

/// A channel's only handler, whose bytes bypass the pipeline: this saves 3,200 of a request's instructions, which are two
/// reads and two writes.
package protocol DirectHandler: AnyObject {
    /// As `channelRead` does.
    func received(_ bytes: ByteBuffer)
    /// As `channelReadComplete` does.
    func receivedAll()
}

extension EpollChannel {
    /// Passes what is read directly to `handler` from now on, the last one in the pipeline and the only one. What else
    /// happens to the channel it still learns from the pipeline.
    package func deliver(to handler: any DirectHandler) {
        if !isClosed { direct = handler }
    }

    /// As a write through the pipeline does.
    package func writeDirectly(_ bytes: ByteBuffer) {
        guard isActive, !output.isShutting else { return }
        if output.append(bytes, nil) { pipeline.syncOperations.fireChannelWritabilityChanged() }
    }

    /// As a flush through the pipeline does.
    package func flushDirectly() { flush0() }

    /// Writes and flushes. What the socket takes at once is never queued.
    package func sendDirectly(_ bytes: ByteBuffer) {
        guard isActive else { return }
        guard !output.isShutting else { return flush0() }
        guard output.isEmpty, !output.isBlocked, bytes.readableBytes > 0 else {
            writeDirectly(bytes)
            return flush0()
        }
        let count = bytes.withUnsafeReadableBytes {
            Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
        }
        if count == bytes.readableBytes { return }
        var rest = bytes
        if count > 0 {
            rest.moveReaderIndex(forwardBy: count)
            output.isBlocked = true
        }
        // An error is met again, where all are dealt with.
        writeDirectly(rest)
        flush0()
    }
}
