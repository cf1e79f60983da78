/// Flow control of the whole connection: the windows of both directions (RFC 9113 section 5.2), and the socket.
@usableFromInline
struct HTTP2ConnectionFlow: Sendable {
    /// Bytes that the peer lets us send on all streams together.
    @usableFromInline private(set) var sendWindow = HTTP2Settings.initialWindow
    /// Whether output goes to the socket at once.
    @usableFromInline var isWritable = true
    /// Octets of bodies that were written to the output.
    @usableFromInline private(set) var sentLength: UInt64 = 0
    /// Bytes that the peer may still send.
    private var receiveWindow = HTTP2Settings.initialWindow
    /// Bytes that the owner has passed on, not yet credited to the peer.
    private var unreturned = 0

    // MARK: Sending

    @inlinable var maySend: Bool { isWritable && sendWindow > 0 }

    mutating func sent(_ length: Int) {
        sendWindow -= length
        sentLength += UInt64(length)
    }

    mutating func widenSending(by increment: Int) throws(HTTP2Violation) {
        sendWindow += increment
        guard sendWindow <= HTTP2Settings.largestWindow else {
            throw .connection(.flowControlError, "the connection's window grows above 2^31-1")
        }
    }

    // MARK: Receiving

    /// - Returns: By how much the window grows beyond the initial one.
    mutating func widenReceiving(to window: Int) -> Int {
        let widening = max(0, window - receiveWindow)
        receiveWindow += widening
        return widening
    }

    mutating func received(_ length: Int) throws(HTTP2Violation) {
        guard length <= receiveWindow else {
            throw .connection(.flowControlError, "DATA go beyond the connection's window")
        }
        receiveWindow -= length
    }

    /// That many bytes were passed on. The peer is credited in steps of at least `step`.
    mutating func passedOn(_ count: Int) { unreturned += count }

    /// The credit for the peer; 0 for nothing yet.
    mutating func takeReturned(inStepsOf step: Int) -> Int {
        guard unreturned >= step else { return 0 }
        let returned = unreturned
        receiveWindow += returned
        unreturned = 0
        return returned
    }
}
