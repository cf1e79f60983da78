/// How the body of a request is delimited. Decided once, from the head; nobody reads the fields again for it.
enum RequestFraming: Equatable {
    case none
    case length(Int)
    case chunked
}

/// A parsed request head.
final class RequestHead: MessageHead {
    var method = 0..<0
    /// As received, in any of the four forms of RFC 9112 section 3.2.
    var target = 0..<0
    /// The index of the only Host field.
    var host: Int?
    var expectsContinue = false
    var hasUpgrade = false
    /// The index of the only traceparent field; nil if there are several.
    var traceparent: Int?
    var hasSeveralTraceparents = false

    override func reset() {
        super.reset()
        host = nil
        expectsContinue = false
        hasUpgrade = false
        traceparent = nil
        hasSeveralTraceparents = false
    }

    var framing: RequestFraming {
        isChunked ? .chunked : contentLength.map(RequestFraming.length) ?? .none
    }
}
