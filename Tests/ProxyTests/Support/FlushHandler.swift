import NIOCore

/// Imitates a failing flush of NIO: it reads the input, closes the channel, and reports the failure.
final class FlushHandler: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    struct Flush {
        let delivers: [UInt8]
        let closes: Bool
    }

    var next: Flush?
    /// Whether the client takes nothing.
    var isStuck = false

    func flush(context: ChannelHandlerContext) {
        if isStuck { return }
        guard let flush = next else { return context.flush() }
        next = nil
        context.fireChannelRead(NIOAny(ByteBuffer(bytes: flush.delivers)))
        context.fireChannelReadComplete()
        if flush.closes { context.fireChannelInactive() } else { context.flush() }
    }
}
