import NIOCore

/// Does in a flush what NIO does in one that fails: it reads what there is, closes the channel, and says so.
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
