/// Limits of one HTTP/2 connection: those that our SETTINGS announce, how much may wait to be sent, and where a flood
/// begins.
public struct HTTP2Limits: Sendable {
    /// A burst of events, and how many more per second.
    public struct Rate: Sendable {
        var burst: Int
        var perSecond: Int
    }

    // MARK: Announced (RFC 9113 section 6.5.2)

    /// Requests under way at once; further ones get REFUSED_STREAM.
    public var maximumStreams = 100
    /// Octets of a header list, with 32 more per field. A larger list is still decoded, and marked as too large.
    public var maximumHeaderListSize = 65_536
    public var maximumFields = 128
    /// Octets of body that a peer may send ahead on a stream.
    public var streamWindow = 65_535
    /// The same for all streams together; at least 65,535, the initial window of every connection.
    public var connectionWindow = 1 << 20
    /// Octets of a frame's payload that are accepted, 16,384 to 16,777,215.
    var maximumFrameSize = 16_384
    /// Whether a server takes extended CONNECT, which WebSocket needs (RFC 8441).
    public var enablesConnect = false

    public var sending = Sending()
    var floods = Floods()

    public init() {}

    /// Octets of a compressed header block; larger ones are not kept for decoding.
    var maximumHeaderBlock: Int { 2 * maximumHeaderListSize + maximumFrameSize }
}

extension HTTP2Limits {
    /// Limits of data waiting for the peer's windows or for the socket.
    public struct Sending: Sendable {
        /// A stream with more unsent bytes than this is congested: its source should pause …
        var congestionHighMark = 65_536
        /// … until no more than this is left.
        var congestionLowMark = 16_384
        /// With more unsent bytes than this on all streams together, the sources of all streams should pause …
        public var queueHighMark = 524_288
        /// … until no more than this is left.
        public var queueLowMark = 262_144
        /// With this many unsent bytes, new streams get REFUSED_STREAM, until the peer has taken some.
        var maximumQueued = 1 << 20
        /// Bytes of queued data that go into the output before the owner must take it.
        var outputStep = 131_072
        /// Acknowledgements of PINGs and SETTINGS that may wait for a peer that does not read: one that keeps sending
        /// them is trying to fill our memory.
        var maximumUnsentOutput = 262_144
    }

    /// Frames that cost a peer almost nothing, and us more.
    struct Floods: Sendable {
        /// CONTINUATION frames of one header block. Blocks of 64 KiB and more need five.
        var maximumContinuations = 16
        /// Streams that a client cancels, or that it makes us reset. Each may have begun a request at a backend, some
        /// 30 µs of work: a full burst is 12 ms of it, and 40 per second is a thousandth of a core. Four times the
        /// streams that may be open at once: a browser that leaves a page cancels all its requests, and may do so on
        /// page after page.
        var resets = Rate(burst: 400, perSecond: 40)
        /// Streams above ``HTTP2Limits/maximumStreams``. A client may open them in good faith before our SETTINGS reach
        /// it.
        var refusals = Rate(burst: 2_000, perSecond: 100)
        /// PING, SETTINGS, PRIORITY, GOAWAY, unknown types, and frames for closed streams: almost no work each, but
        /// never needed in great number. gRPC measures its round trips with a PING per window of data.
        var controls = Rate(burst: 1_000, perSecond: 200)
        /// DATA without data and without END_STREAM: no sender needs it, but some send a few.
        var emptyFrames = Rate(burst: 200, perSecond: 20)
        /// WINDOW_UPDATE frames beyond ``windowUpdatesPerFrame``.
        var windowUpdates = Rate(burst: 2_000, perSecond: 500)
        /// How many WINDOW_UPDATE frames each of our DATA frames allows the peer: one for the stream and one for the
        /// connection are usual.
        var windowUpdatesPerFrame = 4
    }
}
