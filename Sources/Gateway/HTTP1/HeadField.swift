/// One field line of a head, as offsets into its bytes: nothing is copied out of the buffer it arrived in.
struct HeadField {
    var nameStart: Int32
    var nameEnd: Int32
    /// Without the white space around it.
    var valueStart: Int32
    var valueEnd: Int32
    /// Just past its CRLF.
    var lineEnd: Int32
    /// Of the name in lower case with `-` for `_` and its like: backends that hand fields on as environment variables
    /// cannot tell them apart, so neither do we where it matters.
    var hash: UInt32
    var known: KnownField
    /// Has a byte that is neither letter, digit nor `-`, so that it may pass for another name.
    var isAlias: Bool

    var name: Range<Int> { Int(nameStart)..<Int(nameEnd) }
    var value: Range<Int> { Int(valueStart)..<Int(valueEnd) }
    var line: Range<Int> { Int(nameStart)..<Int(lineEnd) }
}

/// Why a head or a body is refused: the status to answer and words for people.
struct HTTPViolation: Error, Equatable {
    var status: Int
    var reason: StaticString

    static func badRequest(_ reason: StaticString) -> HTTPViolation { HTTPViolation(status: 400, reason: reason) }

    static let headTooLarge = HTTPViolation(status: 431, reason: "the header section is larger than allowed")
    static let tooManyFields = HTTPViolation(status: 431, reason: "there are more header fields than allowed")
    static let targetTooLong = HTTPViolation(status: 414, reason: "the request target is longer than 8192 bytes")

    static func == (left: HTTPViolation, right: HTTPViolation) -> Bool {
        left.status == right.status && left.reason.description == right.reason.description
    }
}
