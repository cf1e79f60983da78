import NIOCore

/// A channel whose next flush fails as those of sockets do: what the server had sent is read, and the channel is closed,
/// all within the flush.
final class FailingFlush: ChannelOutboundHandler, Sendable {
    typealias OutboundIn = ByteBuffer

    private let lastWords: ByteBuffer

    init(_ lastWords: ByteBuffer) { self.lastWords = lastWords }

    func flush(context: ChannelHandlerContext) {
        context.fireChannelRead(NIOAny(lastWords))
        context.fireChannelReadComplete()
        context.fireChannelInactive()
    }
}
