/// One field line of a head, as offsets into its bytes: nothing is copied out of the buffer it arrived in.
public struct HeadField: Sendable {
    public var nameStart: Int32
    @usableFromInline var nameEnd: Int32
    /// Without surrounding white space.
    @usableFromInline var valueStart: Int32
    @usableFromInline var valueEnd: Int32
    /// Just past its CRLF.
    public var lineEnd: Int32
    /// Of the name in lower case, with `-` for `_` and similar bytes: backends that pass fields as environment
    /// variables cannot distinguish them, so the gateway does not either where it matters.
    public var hash: UInt32
    public var known: KnownField
    /// Whether it has a byte that is neither letter, digit nor `-`, so that it may pass for another name.
    public var isAlias: Bool

    @inlinable
    public var name: Range<Int> { Int(nameStart)..<Int(nameEnd) }
    @inlinable
    public var value: Range<Int> { Int(valueStart)..<Int(valueEnd) }
    @inlinable
    public var line: Range<Int> { Int(nameStart)..<Int(lineEnd) }
}

/// Why a head or a body is refused: the status of the response and a text for people.
public struct HTTPViolation: Error, Equatable, Sendable {
    public var status: Int
    public var reason: StaticString

    public init(status: Int, reason: StaticString) {
        self.status = status
        self.reason = reason
    }

    public static func badRequest(_ reason: StaticString) -> HTTPViolation {
        HTTPViolation(status: 400, reason: reason)
    }

    public static let headTooLarge = HTTPViolation(status: 431, reason: "the header section is larger than allowed")
    static let tooManyFields = HTTPViolation(status: 431, reason: "there are more header fields than allowed")
    static let targetTooLong = HTTPViolation(status: 414, reason: "the request target is longer than 8192 bytes")

    public static func == (left: HTTPViolation, right: HTTPViolation) -> Bool {
        left.status == right.status && left.reason.description == right.reason.description
    }
}
