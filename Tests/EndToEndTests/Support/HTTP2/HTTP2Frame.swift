/// A frame as it goes over the wire (RFC 9113 section 4.1). Nothing keeps a test from making a wrong one.
struct HTTP2Frame: Sendable, Equatable, CustomStringConvertible {
    var type: FrameType
    var flags: FrameFlags = []
    var stream = 0
    var payload: [UInt8] = []

    static let headerLength = 9

    func bytes() -> [UInt8] {
        payload.count.bigEndian(3) + [type.rawValue, flags.rawValue] + stream.bigEndian(4) + payload
    }

    var description: String {
        "type \(type.rawValue), flags \(flags.rawValue), stream \(stream), \(payload.count) bytes"
    }
}

/// RFC 9113 section 6.
struct FrameType: RawRepresentable, Hashable, Sendable {
    var rawValue: UInt8

    static let data = FrameType(rawValue: 0)
    static let headers = FrameType(rawValue: 1)
    static let priority = FrameType(rawValue: 2)
    static let resetStream = FrameType(rawValue: 3)
    static let settings = FrameType(rawValue: 4)
    static let pushPromise = FrameType(rawValue: 5)
    static let ping = FrameType(rawValue: 6)
    static let goAway = FrameType(rawValue: 7)
    static let windowUpdate = FrameType(rawValue: 8)
    static let continuation = FrameType(rawValue: 9)
    /// Not registered.
    static let unknown = FrameType(rawValue: 0xf3)
}

/// What a flag means depends on the type; two names share a bit.
struct FrameFlags: OptionSet, Hashable, Sendable {
    var rawValue: UInt8

    static let endStream = FrameFlags(rawValue: 0x01)
    static let acknowledgement = FrameFlags(rawValue: 0x01)
    static let endHeaders = FrameFlags(rawValue: 0x04)
    static let padded = FrameFlags(rawValue: 0x08)
    static let priority = FrameFlags(rawValue: 0x20)
}

/// RFC 9113 section 7.
struct HTTP2ErrorCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    var rawValue: Int

    static let noError = HTTP2ErrorCode(rawValue: 0x0)
    static let protocolError = HTTP2ErrorCode(rawValue: 0x1)
    static let internalError = HTTP2ErrorCode(rawValue: 0x2)
    static let flowControlError = HTTP2ErrorCode(rawValue: 0x3)
    static let streamClosed = HTTP2ErrorCode(rawValue: 0x5)
    static let refusedStream = HTTP2ErrorCode(rawValue: 0x7)
    static let cancel = HTTP2ErrorCode(rawValue: 0x8)
    static let compressionError = HTTP2ErrorCode(rawValue: 0x9)
    static let enhanceYourCalm = HTTP2ErrorCode(rawValue: 0xb)

    private static let names = [
        "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
        "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM",
    ]

    var description: String { Self.names.indices.contains(rawValue) ? Self.names[rawValue] : "error \(rawValue)" }
}

/// RFC 9113 section 6.5.2, RFC 8441 section 3.
struct HTTP2Setting: Sendable, Equatable {
    var parameter: Int
    var value: Int

    static func headerTableSize(_ value: Int) -> HTTP2Setting { HTTP2Setting(parameter: 1, value: value) }
    static func initialWindowSize(_ value: Int) -> HTTP2Setting { HTTP2Setting(parameter: 4, value: value) }
    static func maxFrameSize(_ value: Int) -> HTTP2Setting { HTTP2Setting(parameter: 5, value: value) }
    static func maxHeaderListSize(_ value: Int) -> HTTP2Setting { HTTP2Setting(parameter: 6, value: value) }

    var bytes: [UInt8] { parameter.bigEndian(2) + value.bigEndian(4) }
}

extension Int {
    /// The low `width` bytes, highest first.
    func bigEndian(_ width: Int) -> [UInt8] {
        (0..<width).reversed().map { UInt8(truncatingIfNeeded: self >> ($0 * 8)) }
    }

    init(bigEndian bytes: some Sequence<UInt8>) {
        self = bytes.reduce(0) { $0 << 8 | Int($1) }
    }
}
