import HTTPCore

@testable import Upstream

// An expectation cannot hold a span, which must not outlive its bytes.

extension WebSocketHandshake {
    static func isUpgradeToWebSocket(_ value: String) -> Bool { isUpgradeToWebSocket(Array(value.utf8).span) }
    static func namesUpgrade(_ value: String) -> Bool { namesUpgrade(Array(value.utf8).span) }
    static func isSupportedVersion(_ value: String) -> Bool { isSupportedVersion(Array(value.utf8).span) }
    static func isKey(_ value: String) -> Bool { isKey(Array(value.utf8).span) }
    static func isAccept(_ value: String, for key: [UInt8]) -> Bool { isAccept(Array(value.utf8).span, for: key) }
}

extension RequestHead {
    /// Parsed from the whole of `bytes`.
    static func reading(_ bytes: [UInt8]) -> RequestHead? {
        let head = RequestHead()
        let parser = RequestHeadParser(maximumBytes: 8192, maximumFields: 20)
        return parser.parse(bytes.span, into: head) == .complete ? head : nil
    }
}

extension ResponseHead {
    /// Parsed from the whole of `bytes`.
    static func reading(_ bytes: [UInt8]) -> ResponseHead? {
        let head = ResponseHead()
        return ResponseHeadParser().parse(bytes.span, into: head) == .complete ? head : nil
    }
}
