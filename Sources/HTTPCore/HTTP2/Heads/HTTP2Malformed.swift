/// Why a header section is malformed (RFC 9113 section 8.1.1): a stream error PROTOCOL_ERROR.
public struct HTTP2Malformed: Error, Equatable, Sendable {
    public var reason: StaticString

    init(_ reason: StaticString) {
        self.reason = reason
    }

    /// Some of its fields are missing.
    public static let headTooLarge = HTTP2Malformed("the header section is larger than allowed")

    public static func == (left: HTTP2Malformed, right: HTTP2Malformed) -> Bool {
        left.reason.description == right.reason.description
    }
}
