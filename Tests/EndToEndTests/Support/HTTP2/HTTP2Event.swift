/// The meaning of a received frame.
enum HTTP2Event: Sendable, Equatable {
    case settings([HTTP2Setting])
    case settingsAcknowledged
    /// A whole field section, CONTINUATION frames included.
    case fields(FieldLines, end: Bool)
    case data([UInt8], end: Bool)
    case reset(HTTP2ErrorCode)
    case goAway(lastStream: Int, HTTP2ErrorCode)
    case ping([UInt8])
    case pingAcknowledged([UInt8])
    case windowUpdate(Int)

    /// The event of a frame that is whole in itself, nil for one that is not (HEADERS, PUSH_PROMISE, CONTINUATION) and
    /// for unknown types.
    ///
    /// - Throws: ``Malformed`` for a frame of the wrong size or on the wrong stream (RFC 9113 section 6).
    static func of(_ frame: HTTP2Frame) throws -> HTTP2Event? {
        let acknowledges = frame.flags.contains(.acknowledgement)
        switch frame.type {
        case .data:
            try require(frame, frame.stream > 0)
            return .data(try unpadded(frame), end: frame.flags.contains(.endStream))
        case .resetStream:
            try require(frame, frame.stream > 0 && frame.payload.count == 4)
            return .reset(HTTP2ErrorCode(rawValue: Int(bigEndian: frame.payload)))
        case .settings:
            try require(frame, frame.stream == 0 && frame.payload.count % 6 == 0)
            try require(frame, !acknowledges || frame.payload.isEmpty)
            return acknowledges ? .settingsAcknowledged : .settings(settings(frame.payload))
        case .ping:
            try require(frame, frame.stream == 0 && frame.payload.count == 8)
            return acknowledges ? .pingAcknowledged(frame.payload) : .ping(frame.payload)
        case .goAway:
            try require(frame, frame.stream == 0 && frame.payload.count >= 8)
            let code = HTTP2ErrorCode(rawValue: Int(bigEndian: frame.payload[4..<8]))
            return .goAway(lastStream: Int(bigEndian: frame.payload[..<4]), code)
        case .windowUpdate:
            try require(frame, frame.payload.count == 4)
            let increment = Int(bigEndian: frame.payload) & 0x7fff_ffff
            try require(frame, increment > 0)
            return .windowUpdate(increment)
        default: return nil
        }
    }

    /// The payload of a DATA or HEADERS frame without its padding.
    static func unpadded(_ frame: HTTP2Frame) throws -> [UInt8] {
        guard frame.flags.contains(.padded) else { return frame.payload }
        guard let padding = frame.payload.first, Int(padding) < frame.payload.count else {
            throw Malformed("padding past the end: \(frame)")
        }
        return Array(frame.payload.dropFirst().dropLast(Int(padding)))
    }

    private static func settings(_ payload: [UInt8]) -> [HTTP2Setting] {
        stride(from: 0, to: payload.count, by: 6).map { start in
            HTTP2Setting(
                parameter: Int(bigEndian: payload[start..<start + 2]),
                value: Int(bigEndian: payload[start + 2..<start + 6])
            )
        }
    }

    private static func require(_ frame: HTTP2Frame, _ holds: Bool) throws {
        guard holds else { throw Malformed("a frame the gateway must not send: \(frame)") }
    }
}

extension FieldLines: Equatable {
    static func == (first: FieldLines, second: FieldLines) -> Bool { first.description == second.description }
}
