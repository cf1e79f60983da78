package import HTTPCore
package import NIOCore

/// The head of one request with all that is read out of it: its fields, its host and its path in each reading.
///
/// It belongs to the exchange that received it, which is alone with it until it gives it back: what was parsed of one
/// request is never where another one is parsed. Loops keep these for use again (``SpareRequests``).
package final class ReceivedRequest {
    /// As parsed from the start of ``bytes``.
    package let head = RequestHead()
    /// Begins with the head; in the form of HTTP/1.1 whatever the client speaks.
    package private(set) var bytes = ByteBuffer()
    /// The host that the request is for, in lower case and without its port; empty where it names none. Read by
    /// ``RequestRouter``.
    package var host: [UInt8] = []
    /// The path in each reading; read by ``RequestRouter``, and only valid where ``RoutedRequest/path`` says so.
    package var path = CanonicalPath()

    fileprivate var isSpare = false

    package init() { host.reserveCapacity(64) }

    /// Parses the head at the start of `bytes`, and keeps them if it is complete.
    package func parse(_ bytes: ByteBuffer, _ parser: RequestHeadParser) -> RequestHeadParser.Outcome {
        let outcome = parser.parse(bytes.readableBytesUInt8Span, into: head)
        if case .complete = outcome { self.bytes = bytes }
        return outcome
    }

    /// Keeps a copy of the head alone, which holds on to nothing that was read with it. What was parsed stays as it is.
    package func keepHeadAlone() {
        var copy = ByteBuffer()
        copy.reserveCapacity(head.length)
        let received = bytes
        copy.writeBytes(received.readableBytesUInt8Span.extracting(0..<head.length).bytes)
        bytes = copy
    }

    /// Lets go of the bytes; the rest is overwritten by the next parse.
    fileprivate func clear() { bytes = ByteBuffer() }
}

/// Requests of one event loop that nobody uses.
package final class SpareRequests {
    /// More are given back to the system: what a burst has used is not held for ever.
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

    /// One that was given back already is left alone: two exchanges would have it.
    package func giveBack(_ request: ReceivedRequest) {
        guard !request.isSpare else { return onMistake("a request is given back twice") }
        request.isSpare = true
        request.clear()
        if spare.count < Self.most { spare.append(request) }
    }
}
