import Authorization
package import HTTPCore
package import NIOCore

/// The parsed head of one response, and the bytes that it begins. It belongs to its exchange until the head is passed
/// on.
package final class ReceivedResponse {
    /// As parsed from the start of ``bytes``.
    package let head = ResponseHead()
    package private(set) var bytes = ByteBuffer()

    fileprivate var isSpare = false

    /// Parses the head at the start of `bytes`, and keeps them if it is complete.
    package func parse(_ bytes: ByteBuffer, _ parser: ResponseHeadParser) -> ResponseHeadParser.Outcome {
        let outcome = parser.parse(bytes.readableBytesUInt8Span, into: head)
        if case .complete = outcome { self.bytes = bytes }
        return outcome
    }

    /// More of the response came.
    func append(_ more: ByteBuffer) { bytes.writeImmutableBuffer(more) }

    /// Releases the bytes; the rest is overwritten by the next parse.
    fileprivate func clear() { bytes = ByteBuffer() }
}

/// Unused response objects of one event loop.
package final class SpareResponses {
    private static let most = 1024

    private var spare: [ReceivedResponse] = []
    /// Called when a response is given back twice.
    package var onMistake: (StaticString) -> Void = { assertionFailure("\($0)") }

    package func take() -> ReceivedResponse {
        guard let response = spare.popLast() else { return ReceivedResponse() }
        response.isSpare = false
        return response
    }

    /// A second return is ignored: otherwise two exchanges would get the same object.
    package func giveBack(_ response: ReceivedResponse) {
        guard !response.isSpare else { return onMistake("a response is given back twice") }
        response.isSpare = true
        response.clear()
        if spare.count < Self.most { spare.append(response) }
    }
}
