import NIOCore

/// An answer of the gateway's own that is no refusal and has no body.
struct OwnAnswer {
    var status: Int
    /// All its fields but for Date and those that frame it, each with its CRLF.
    var lines: [UInt8]
}

extension ClientExchange {
    /// Answers in the place of a server. What is left of the request's body is read past; the outcome on record stays.
    final func answer(_ own: OwnAnswer) {
        var bytes = worker.allocator.buffer(capacity: own.lines.count + 64)
        bytes.writeStaticString("HTTP/1.1 ")
        bytes.writeDecimal(own.status)
        bytes.writeStaticString(" ")
        bytes.writeStaticString(ReasonPhrase.of(own.status))
        bytes.writeStaticString("\r\n")
        bytes.writeBytes(own.lines)
        bytes.writeStaticString(own.status == 204 ? "\r\n" : "Content-Length: 0\r\n\r\n")
        let head = worker.responseHead
        guard worker.responseParser.parse(bytes.readableBytesUInt8Span, into: head) == .complete else {
            return refuse(.overloaded)
        }
        if requestFraming == .none { exchange.requestCompleted() }
        phase = .answer
        answerShape = nil
        answerBegan(head, bytes.readableBytesUInt8Span, head.framing(answeringHead: record.method == .head))
        _ = completeAnswer(serverKeepsAlive: false, trailers: [], at: worker.now())
    }
}
