/// How the body of a response is delimited (RFC 9112 section 6.3).
public enum ResponseFraming: Equatable, Sendable {
    case none
    case length(Int)
    case chunked
    case untilClose

    @inlinable
    public static func == (left: ResponseFraming, right: ResponseFraming) -> Bool {
        switch (left, right) {
        case (.none, .none), (.chunked, .chunked), (.untilClose, .untilClose): true
        case (.length(let left), .length(let right)): left == right
        case (.none, _), (.length, _), (.chunked, _), (.untilClose, _): false
        }
    }

    /// The number of bytes, if known.
    public var length: Int? {
        switch self {
        case .none: 0
        case .length(let length): length
        case .chunked, .untilClose: nil
        }
    }
}

/// A parsed response head.
public final class ResponseHead: MessageHead {
    public var status = 0
    /// The reason phrase, which may be empty.
    public var reason = 0..<0
    public var hasDate = false

    public override func reset() {
        super.reset()
        hasDate = false
    }

    /// What follows the head of the response to a `HEAD` (or another) request.
    @inlinable
    public func framing(answeringHead: Bool) -> ResponseFraming {
        if answeringHead || status < 200 || status == 204 || status == 304 { return .none }
        if isChunked { return .chunked }
        if let contentLength { return .length(contentLength) }
        return .untilClose
    }
}
