import NIOCore

/// Output state of a connection.
struct HTTP1Output {
    /// The channel's last report: querying it costs more than remembering.
    var isWritable = true
    /// Bytes that were in the loop's buffer when another connection took it. They are written first.
    var kept: ByteBuffer?
    /// Whether something was written since the last flush.
    var hasUnflushed = false
    /// Whether the channel is in a flush.
    var isFlushing = false
    /// Whether the connection was reset.
    var isReset = false
    /// All bytes that were handed to the channel.
    var written: UInt64 = 0
    /// How the body of the response that is under way is delimited.
    var delivery = ClientHeadWriter.Delivery()
}
