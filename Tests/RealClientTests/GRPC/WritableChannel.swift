import NIOCore

/// Lets a connection of the tests' own gRPC client or server queue more than any test sends.
///
/// NIOHTTP2 1.46 ends a debug process by an assertion when a channel becomes writable again while a control frame waits
/// that was written, but not flushed, before (`ControlFrameBuffer.processOutboundFrame`).
@Sendable func keepWritable(_ channel: any Channel) -> EventLoopFuture<Void> {
    let enough = ChannelOptions.Types.WriteBufferWaterMark(low: 32 << 20, high: 64 << 20)
    return channel.setOption(.writeBufferWaterMark, value: enough)
}
