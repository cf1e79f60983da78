public import NIOCore

/// One HTTP/2 connection without its I/O (RFC 9113), for either role: bytes go in, events and bytes come out.
///
/// A turn of its owner is: ``receive(_:)``, ``next(headers:at:)`` until it gives nil, then what stands in ``output`` is
/// written out. While ``hasMoreOutput``, the turn goes on with `next`. The same turn, without `receive`, follows
/// whatever the owner sends on its own.
///
/// Frames, states, windows and floods are its concern; what the fields of a message say is the owner's.
///
/// This file has what the owner sees of it; `+Receiving` how bytes become frames, `+Headers`, `+Data` and `+Control`
/// what the frames do, `+Sending` and `+Queues` what goes out, `+Ending` how streams and the connection end.
public struct HTTP2Session: ~Copyable {
    public enum Role: Sendable {
        case server
        case client
    }

    public enum HeaderKind: Sendable {
        /// A request, or a response, interim ones too.
        case initial
        case trailers
    }

    public enum Event: Sendable {
        /// A header section, whole, in the list given to ``HTTP2Session/next(headers:at:)``. If the list is too large,
        /// some of its fields are missing.
        case headers(stream: UInt32, endStream: Bool, kind: HeaderKind)
        /// Body bytes without their padding. `flowControlled` is to be given back by
        /// ``HTTP2Session/consumed(stream:_:)``.
        case data(stream: UInt32, bytes: ByteBuffer, flowControlled: Int, endStream: Bool)
        /// The stream is gone, by the peer's will or because the peer broke a rule; RST_STREAM is in the output then.
        case reset(stream: UInt32, code: HTTP2ErrorCode, byPeer: Bool)
        /// A stream that was congested has room again.
        case writable(stream: UInt32)
        /// The peer takes no more streams. Those of ours above `lastStream` follow as resets with REFUSED_STREAM: they
        /// were not acted on, and may be tried elsewhere.
        case goAway(lastStream: UInt32, code: HTTP2ErrorCode)
        /// SETTINGS of the peer came and hold.
        case settings
        /// GOAWAY is in the output: it is to be written, and the connection closed. Nothing follows.
        case connectionError(code: HTTP2ErrorCode, reason: StaticString)
    }

    @usableFromInline let role: Role
    public let limits: HTTP2Limits
    /// Frames to be written out. The owner takes them and leaves an empty buffer; it may lend one before its turn.
    public var output = ByteBuffer()
    @usableFromInline var peerSettings = HTTP2Settings()
    /// Whether the peer has acknowledged our SETTINGS. If that takes long, the owner may end the connection with
    /// SETTINGS_TIMEOUT.
    var isSettingsAcknowledged = false
    /// Whether a connection error ended it: nothing goes in or out any more.
    @usableFromInline var hasFailed = false

    // What is read from.
    @usableFromInline var input = ByteBuffer()
    /// Whether ``input`` is our own copy of an incomplete frame, not the owner's buffer.
    var ownsInput = false
    var following = ByteBuffer()
    @usableFromInline var expectation: Expectation
    @usableFromInline var headerBlock: HeaderBlock?
    var queuedEvents = CircularBuffer<Event>(initialCapacity: 2)
    var decoder = HPACKDecoder()
    var now: UInt64 = 0

    // Streams.
    @usableFromInline var streams = HTTP2StreamTable()
    var closedStreams = HTTP2ClosedStreams()
    var highestPeerStream: UInt32 = 0
    @usableFromInline var nextOwnStream: UInt32 = 1
    @usableFromInline var lastStreamForPeer: UInt32?
    @usableFromInline var hasReceivedGoAway = false

    // Windows of the connection.
    @usableFromInline var sendWindow = HTTP2Settings.initialWindow
    var receiveWindow = HTTP2Settings.initialWindow
    var unreturned = 0
    /// Octets of bodies that were written to the output.
    public var sentLength: UInt64 = 0
    /// What each stream of ours begins with, as far as the peer can know.
    var initialReceiveWindow: Int

    var encoder = HPACKEncoder()
    @usableFromInline var isWritable = true

    var resets: EventRate
    var refusals: EventRate
    var controls: EventRate
    var emptyFrames: EventRate
    var windowUpdates: EventRate

    public init(role: Role, limits: HTTP2Limits) {
        self.role = role
        self.limits = limits
        expectation = role == .server ? .preface(matched: 0) : .settings
        // A peer that has not read our SETTINGS yet may use what every connection begins with.
        initialReceiveWindow = max(limits.streamWindow, HTTP2Settings.initialWindow)
        resets = EventRate(limits.floods.resets)
        refusals = EventRate(limits.floods.refusals)
        controls = EventRate(limits.floods.controls)
        emptyFrames = EventRate(limits.floods.emptyFrames)
        windowUpdates = EventRate(limits.floods.windowUpdates)
    }

    /// Puts what each side begins with into the output: a client's preface, SETTINGS, and the WINDOW_UPDATE that widens
    /// the connection's window. Once, before anything else.
    public mutating func start() {
        if role == .client { output.writeStaticString(Self.preface) }
        output.writeSettings(limits, role: role)
        let widening = limits.connectionWindow - receiveWindow
        if widening > 0 {
            output.writeWindowUpdate(0, widening)
            receiveWindow += widening
        }
    }

    /// Streams that are open or half-closed, those of either side.
    @inlinable
    public var openStreams: Int { streams.count }

    /// Streams of our own that may be opened besides those that are.
    @inlinable
    public var availableStreams: Int {
        guard role == .client, !hasFailed, !hasReceivedGoAway, lastStreamForPeer == nil else { return 0 }
        let left = nextOwnStream > 0x7fff_ffff ? 0 : Int((0x7fff_ffff - nextOwnStream) / 2) + 1
        return max(0, min(left, peerSettings.maximumConcurrentStreams - streams.count))
    }

    /// Octets of bodies and trailers that wait in the streams' queues.
    @inlinable
    public var queuedLength: Int { streams.queuedLength }

    /// Whether ``goAway(code:)`` was called and all streams have ended.
    var isDrained: Bool { (lastStreamForPeer != nil || hasReceivedGoAway) && streams.count == 0 }

    /// Whether the preface or a header section has begun and not ended: nothing else can come before its end.
    @inlinable
    public var isInsideHeaders: Bool {
        if headerBlock != nil { return true }
        if case .preface(let matched) = expectation, matched > 0 { return true }
        return input.getInteger(at: input.readerIndex + 3, as: UInt8.self) == HTTP2Frame.Kind.headers
    }

    /// Whether the stream is open or half-closed.
    func isOpen(_ stream: UInt32) -> Bool { streams.place(of: stream) != nil }

    /// Says whether what is written out goes to the socket at once. While it does not, data is kept in the streams'
    /// queues.
    public mutating func writabilityChanged(_ isWritable: Bool) {
        self.isWritable = isWritable
    }
}
