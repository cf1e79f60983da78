/// The two sides' announcements of the connection's end (RFC 9113 section 6.8).
@usableFromInline
struct HTTP2Ending: Sendable {
    @usableFromInline
    enum Own: Sendable {
        case none
        /// No streams of the peer above this one are accepted.
        case goAway(lastStream: UInt32)
        /// A connection error ended it: nothing is sent or received any more.
        case failed
    }

    @usableFromInline var own = Own.none
    @usableFromInline var hasReceivedGoAway = false

    /// Whether we have not announced an end.
    @inlinable var allowsStreams: Bool {
        if case .none = own { true } else { false }
    }

    @inlinable var hasFailed: Bool {
        if case .failed = own { true } else { false }
    }

    /// Nil while all streams of the peer are accepted.
    var lastStreamForPeer: UInt32? {
        if case .goAway(let lastStream) = own { lastStream } else { nil }
    }
}
