package import NIOCore

/// Where a handler writes: past the pipeline if it is the only one in an ``EpollChannel``, otherwise through it.
package struct ChannelOutput {
    private var channel: EpollChannel?

    package init() {}

    /// To be called when `handler` is the only one in `channel`: from now on bytes bypass the pipeline in both directions.
    package mutating func bypassPipeline(of channel: any Channel, for handler: any DirectHandler) {
        guard let channel = channel as? EpollChannel else { return }
        self.channel = channel
        channel.deliver(to: handler)
    }

    /// To be called when the handler leaves its channel.
    package mutating func handlerRemoved() { channel = nil }

    package func write(_ bytes: ByteBuffer, _ context: ChannelHandlerContext?) {
        if let channel { channel.writeDirectly(bytes) } else { context?.write(NIOAny(bytes), promise: nil) }
    }

    /// - Parameter last: Written before the flush.
    package func flush(after last: ByteBuffer?, _ context: ChannelHandlerContext?) {
        if let channel {
            if let last { channel.sendDirectly(last) } else { channel.flushDirectly() }
        } else {
            if let last { context?.write(NIOAny(last), promise: nil) }
            context?.flush()
        }
    }
}
