import NIOCore

@testable import Epoll

/// The events of a handler, in order.
enum ChannelNote: Equatable, Sendable {
    case active
    case read(Int)
    case readComplete
    case writable(Bool)
    case outputClosed
    case error
    case inactive
}

/// Notes what a channel says, and does what a test wants done with it.
final class EventRecorder: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let notes: AsyncStream<ChannelNote>.Continuation
    private let act: (ChannelNote, ChannelHandlerContext, ByteBuffer?) -> Void

    /// - Parameter act: Called before a note is taken.
    init(
        _ notes: AsyncStream<ChannelNote>.Continuation,
        act: @escaping (ChannelNote, ChannelHandlerContext, ByteBuffer?) -> Void = { _, _, _ in }
    ) {
        self.notes = notes
        self.act = act
    }

    private func note(_ note: ChannelNote, _ context: ChannelHandlerContext, _ bytes: ByteBuffer? = nil) {
        act(note, context, bytes)
        notes.yield(note)
        if note == .inactive { notes.finish() }
    }

    func channelActive(context: ChannelHandlerContext) { note(.active, context) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        note(.read(bytes.readableBytes), context, bytes)
    }

    func channelReadComplete(context: ChannelHandlerContext) { note(.readComplete, context) }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        note(.writable(context.channel.isWritable), context)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? ChannelEvent, event == .outputClosed { note(.outputClosed, context) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { note(.error, context) }

    func channelInactive(context: ChannelHandlerContext) { note(.inactive, context) }
}
