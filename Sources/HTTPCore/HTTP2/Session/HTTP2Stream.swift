/// One open or half-closed stream (RFC 9113 section 5.1), with its windows and queued data.
public struct HTTP2Stream: Sendable {
    let id: UInt32
    /// Bytes that the peer lets us send; below zero after a SETTINGS change (RFC 9113 section 6.9.2).
    var sendWindow: Int
    @usableFromInline var receiving: HTTP2StreamReceiving
    var content = HTTP2ContentCount()

    /// Whether we have sent END_STREAM.
    var isLocalClosed = false
    /// Whether the peer has sent END_STREAM.
    @usableFromInline var isRemoteClosed = false
    /// Whether the head has arrived, apart from interim responses: the next header section has trailers.
    var hasHead = false
    /// Whether further data of the peer is dropped.
    @usableFromInline var isUnwanted = false

    @usableFromInline var queue = HTTP2SendQueue()
    var ready = HTTP2ReadyLinks()

    init(id: UInt32, sendWindow: Int, receiveWindow: Int) {
        self.id = id
        self.sendWindow = sendWindow
        receiving = HTTP2StreamReceiving(window: receiveWindow)
    }
}

/// What the peer may send on a stream, and the flow-controlled bytes that it has sent.
@usableFromInline
struct HTTP2StreamReceiving: Sendable {
    /// Bytes that the peer may still send.
    @usableFromInline var window: Int
    /// Bytes that the owner received and has not passed on.
    private(set) var unconsumed = 0
    /// Bytes that the owner has passed on, not yet credited to the peer.
    var unreturned = 0

    mutating func received(_ count: Int) { unconsumed += count }

    /// The owner has passed bytes on.
    ///
    /// - Returns: How many of them were not passed on before.
    mutating func consume(_ count: Int) -> Int {
        let consumed = min(count, unconsumed)
        unconsumed -= consumed
        return consumed
    }
}

/// The content of a message in octets, against its Content-Length (RFC 9113 section 8.1.1).
struct HTTP2ContentCount: Sendable {
    var expected: Int?
    var received = 0

    /// Whether END_STREAM may come here.
    var isWhole: Bool { expected.map { $0 == received } ?? true }

    var isTooLong: Bool { expected.map { received > $0 } ?? false }
}

/// A stream's neighbours in the ring of those with data and window, as slots in the table; -1 for none.
struct HTTP2ReadyLinks: Sendable {
    var isReady = false
    var next: Int32 = -1
    var previous: Int32 = -1
}
