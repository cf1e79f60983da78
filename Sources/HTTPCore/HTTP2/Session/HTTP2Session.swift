public import NIOCore

/// One HTTP/2 connection without its I/O (RFC 9113), for either role: bytes go in, events and bytes come out.
///
/// A turn of its owner is: ``receive(_:)``, ``next(headers:at:)`` until it returns nil, then ``output`` is written out.
/// While ``hasMoreOutput``, the turn continues with `next`. The same turn, without `receive`, follows anything that the
/// owner sends.
///
/// It handles frames, states, windows and floods; the owner handles the fields of messages.
///
/// This file has the interface for the owner; `+Receiving` dispatches frames, `+Headers`, `+Data` and `+Control` what
/// the frames do, `+Sending` and `+Queues` what goes out, `+Ending` how streams and the connection end. Each part of
/// its state is a value of its own, from ``HTTP2FrameReader`` to ``HTTP2FloodGuard``.
public struct HTTP2Session: ~Copyable {
    public enum Role: Sendable {
        case server
        case client
    }

    public enum HeaderKind: Sendable {
        /// A request or a response, including interim ones.
        case initial
        case trailers
    }

    public enum Event: Sendable {
        /// A complete header section, in the list given to ``HTTP2Session/next(headers:at:)``. If the list is too
        /// large, some of its fields are missing.
        case headers(stream: UInt32, endStream: Bool, kind: HeaderKind)
        /// Body bytes without their padding. Return `flowControlled` with ``HTTP2Session/consumed(stream:_:)``.
        case data(stream: UInt32, bytes: ByteBuffer, flowControlled: Int, endStream: Bool)
        /// The stream has ended, by the peer's RST_STREAM or because the peer violated the protocol; then RST_STREAM is
        /// in the output.
        case reset(stream: UInt32, code: HTTP2ErrorCode, byPeer: Bool)
        /// A congested stream may send again.
        case writable(stream: UInt32)
        /// The peer accepts no more streams. Ours above `lastStream` follow as resets with REFUSED_STREAM: they were
        /// not processed, and may be tried elsewhere.
        case goAway(lastStream: UInt32, code: HTTP2ErrorCode)
        /// The peer's SETTINGS arrived and are in force.
        case settings
        /// GOAWAY is in the output: write it, and close the connection. Nothing follows.
        case connectionError(code: HTTP2ErrorCode, reason: StaticString)
    }

    @usableFromInline let role: Role
    public let limits: HTTP2Limits
    /// Frames to write out. The owner takes them and leaves an empty buffer; it may lend one before its turn.
    public var output = ByteBuffer()
    @usableFromInline var settings = HTTP2SettingsExchange()
    @usableFromInline var reader: HTTP2FrameReader
    var queuedEvents = CircularBuffer<Event>(initialCapacity: 2)
    var hpack = HTTP2FieldCompression()
    @usableFromInline var streams = HTTP2StreamTable()
    @usableFromInline var history = HTTP2StreamHistory()
    @usableFromInline var flow = HTTP2ConnectionFlow()
    @usableFromInline var ending = HTTP2Ending()
    var floods: HTTP2FloodGuard

    public init(role: Role, limits: HTTP2Limits) {
        self.role = role
        self.limits = limits
        reader = HTTP2FrameReader(expecting: role == .server ? .preface(matched: 0) : .settings)
        floods = HTTP2FloodGuard(limits.floods)
    }

    /// Puts the connection's beginning into the output: a client's preface, SETTINGS, and the WINDOW_UPDATE that widens
    /// the connection's window. Call it once, before anything else.
    public mutating func start() {
        if role == .client { output.writeStaticString(HTTP2FrameReader.preface) }
        output.writeSettings(limits, role: role)
        let widening = flow.widenReceiving(to: limits.connectionWindow)
        if widening > 0 { output.writeWindowUpdate(0, widening) }
    }

    /// Open or half-closed streams, of either side.
    @inlinable
    public var openStreams: Int { streams.count }

    /// How many more streams of our own may be opened.
    @inlinable
    public var availableStreams: Int {
        guard role == .client, ending.allowsStreams, !ending.hasReceivedGoAway else { return 0 }
        return max(0, min(history.ownStreamsLeft, settings.peer.maximumConcurrentStreams - streams.count))
    }

    /// Octets of bodies and trailers in the streams' queues.
    @inlinable
    public var queuedLength: Int { streams.queuedLength }

    /// Octets of bodies that were written to the output.
    @inlinable
    public var sentLength: UInt64 { flow.sentLength }

    /// Whether a connection error ended it: nothing is sent or received any more.
    @inlinable
    var hasFailed: Bool { ending.hasFailed }

    /// Whether ``goAway(code:)`` was called, or the peer's GOAWAY has come, and all streams have ended.
    var isDrained: Bool { (ending.lastStreamForPeer != nil || ending.hasReceivedGoAway) && streams.count == 0 }

    /// Whether the preface or a header section has begun and not ended: no other frame may come before its end.
    @inlinable
    public var isInsideHeaders: Bool { reader.isInsideHeaders }

    /// Whether the stream is open or half-closed.
    func isOpen(_ stream: UInt32) -> Bool { streams.slot(of: stream) != nil }

    /// The initial window of each stream, as far as the peer can know: before it has read our SETTINGS it may use the
    /// default.
    var initialReceiveWindow: Int {
        settings.isAcknowledged ? limits.streamWindow : max(limits.streamWindow, HTTP2Settings.initialWindow)
    }

    /// Sets whether output goes to the socket at once. If not, data is kept in the streams' queues.
    public mutating func writabilityChanged(_ isWritable: Bool) {
        flow.isWritable = isWritable
    }
}
