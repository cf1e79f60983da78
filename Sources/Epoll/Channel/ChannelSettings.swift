package import NIOCore

/// How a connection is set up.
package struct ChannelSettings: Sendable {
    /// Bytes that wait to be written: from the high mark on the channel is not writable, until the low one is reached.
    package var watermarks = ChannelOptions.Types.WriteBufferWaterMark(low: 32 << 10, high: 128 << 10)

    package init() {}
}
