/// How the body of a response is delimited (RFC 9112 section 6.3).
enum ResponseFraming: Equatable {
    case none
    case length(Int)
    case chunked
    case untilClose

    /// How many bytes there must be, where that is known.
    var length: Int? {
        switch self {
        case .none: 0
        case .length(let length): length
        case .chunked, .untilClose: nil
        }
    }
}

/// A parsed response head.
final class ResponseHead: MessageHead {
    var status = 0
    /// The reason phrase, which may be empty.
    var reason = 0..<0
    var hasDate = false

    override func reset() {
        super.reset()
        hasDate = false
    }

    /// What follows the head of the answer to a `HEAD` (or another) request.
    func framing(answeringHead: Bool) -> ResponseFraming {
        if answeringHead || status < 200 || status == 204 || status == 304 { return .none }
        if isChunked { return .chunked }
        if let contentLength { return .length(contentLength) }
        return .untilClose
    }
}
