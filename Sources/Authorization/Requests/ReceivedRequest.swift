package import HTTPCore
package import NIOCore

/// The head of one request with everything derived from it: its fields, its host and its path in each reading.
///
/// It belongs to the exchange that received it, exclusively, until it is given back: the parse result of one request is
/// never overwritten by another. Loops keep these for reuse (``SpareRequests``).
package final class ReceivedRequest {
    /// As parsed from the start of ``bytes``.
    package let head = RequestHead()
    /// Begins with the head; as HTTP/1.1 whatever the client's protocol.
    package private(set) var bytes = ByteBuffer()
    /// The request's host, in lower case and without its port; empty if there is none. Set by ``RequestRouter``.
    package var host: [UInt8] = []
    /// The path in each reading; set by ``RequestRouter``, and only valid if ``RoutedRequest/path`` says so.
    package var path = CanonicalPath()

    fileprivate var isSpare = false

    package init() { host.reserveCapacity(64) }

    /// Parses the head at the start of `bytes`, and keeps them if it is complete.
    package func parse(_ bytes: ByteBuffer, _ parser: RequestHeadParser) -> RequestHeadParser.Outcome {
        let outcome = parser.parse(bytes.readableBytesUInt8Span, into: head)
        if case .complete = outcome { self.bytes = bytes }
        return outcome
    }

    /// Keeps a copy of the head alone, and releases the read buffer. The parse result stays valid.
    package func keepHeadAlone() {
        var copy = ByteBuffer()
        copy.reserveCapacity(head.length)
        let received = bytes
        copy.writeBytes(received.readableBytesUInt8Span.extracting(0..<head.length).bytes)
        bytes = copy
    }

    /// Releases the bytes; the rest is overwritten by the next parse.
    fileprivate func clear() { bytes = ByteBuffer() }
}

/// Unused request objects of one event loop.
package final class SpareRequests {
    /// Further ones are freed: the memory of a burst is not held forever.
    private static let most = 1024

    private var spare: [ReceivedRequest] = []
    /// Called when a request is given back twice.
    package var onMistake: (StaticString) -> Void = { assertionFailure("\($0)") }

    package init() {}

    package func take() -> ReceivedRequest {
        guard let request = spare.popLast() else { return ReceivedRequest() }
        request.isSpare = false
        return request
    }

    /// A second return is ignored: otherwise two exchanges would get the same object.
    package func giveBack(_ request: ReceivedRequest) {
        guard !request.isSpare else { return onMistake("a request is given back twice") }
        request.isSpare = true
        request.clear()
        if spare.count < Self.most { spare.append(request) }
    }
}
