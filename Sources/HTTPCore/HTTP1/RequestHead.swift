/// How the body of a request is delimited. Decided once, from the head.
public enum RequestFraming: Equatable, Sendable {
    case none
    case length(Int)
    case chunked

    @inlinable
    public static func == (left: RequestFraming, right: RequestFraming) -> Bool {
        switch (left, right) {
        case (.none, .none), (.chunked, .chunked): true
        case (.length(let left), .length(let right)): left == right
        case (.none, _), (.length, _), (.chunked, _): false
        }
    }
}

/// A parsed request head.
public final class RequestHead: MessageHead {
    public var method = 0..<0
    /// As received, in any of the four forms of RFC 9112 section 3.2.
    public var target = 0..<0
    /// The index of the only Host field.
    public var host: Int?
    public var expectsContinue = false
    public var hasUpgrade = false
    /// The index of the only traceparent field; nil if there are several.
    public var traceparent: Int?
    var hasSeveralTraceparents = false

    public override func reset() {
        super.reset()
        host = nil
        expectsContinue = false
        hasUpgrade = false
        traceparent = nil
        hasSeveralTraceparents = false
    }

    @inlinable
    public var framing: RequestFraming {
        isChunked ? .chunked : contentLength.map(RequestFraming.length) ?? .none
    }
}
