/// Why a stream or a connection ends (RFC 9113 section 7). Unknown codes are kept as received, without special meaning.
public struct HTTP2ErrorCode: RawRepresentable, Equatable, Sendable {
    public var rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let noError = HTTP2ErrorCode(rawValue: 0x0)
    public static let protocolError = HTTP2ErrorCode(rawValue: 0x1)
    public static let internalError = HTTP2ErrorCode(rawValue: 0x2)
    static let flowControlError = HTTP2ErrorCode(rawValue: 0x3)
    static let settingsTimeout = HTTP2ErrorCode(rawValue: 0x4)
    static let streamClosed = HTTP2ErrorCode(rawValue: 0x5)
    static let frameSizeError = HTTP2ErrorCode(rawValue: 0x6)
    public static let refusedStream = HTTP2ErrorCode(rawValue: 0x7)
    public static let cancel = HTTP2ErrorCode(rawValue: 0x8)
    static let compressionError = HTTP2ErrorCode(rawValue: 0x9)
    static let connectError = HTTP2ErrorCode(rawValue: 0xa)
    public static let enhanceYourCalm = HTTP2ErrorCode(rawValue: 0xb)
    static let inadequateSecurity = HTTP2ErrorCode(rawValue: 0xc)
    static let http11Required = HTTP2ErrorCode(rawValue: 0xd)
}

/// What a frame did wrong, and the scope of the error (RFC 9113 section 5.4).
public enum HTTP2Violation: Error, Sendable {
    /// The two ends may be out of step: the connection ends.
    case connection(HTTP2ErrorCode, StaticString)
    /// Only this stream ends.
    case stream(UInt32, HTTP2ErrorCode)

    static func malformed(_ reason: StaticString) -> HTTP2Violation { .connection(.protocolError, reason) }

    static func wrongSize(_ reason: StaticString) -> HTTP2Violation { .connection(.frameSizeError, reason) }

    static func flood(_ reason: StaticString) -> HTTP2Violation { .connection(.enhanceYourCalm, reason) }
}
