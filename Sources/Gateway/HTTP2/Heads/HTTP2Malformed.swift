/// Why a header section is malformed (RFC 9113 section 8.1.1): a stream error PROTOCOL_ERROR.
struct HTTP2Malformed: Error, Equatable {
    var reason: StaticString

    init(_ reason: StaticString) {
        self.reason = reason
    }

    /// Some of its fields are not there.
    static let headTooLarge = HTTP2Malformed("the header section is larger than allowed")

    static func == (left: HTTP2Malformed, right: HTTP2Malformed) -> Bool {
        left.reason.description == right.reason.description
    }
}
