import NIOCore

/// A frame's header, and the position of its payload (RFC 9113 section 4.1).
public struct HTTP2Frame: Sendable {
    /// Types of RFC 9113 section 6. PRIORITY_UPDATE, ALTSVC and others are extensions, which are ignored.
    public enum Kind {
        static let data: UInt8 = 0x0
        @usableFromInline static let headers: UInt8 = 0x1
        static let priority: UInt8 = 0x2
        static let resetStream: UInt8 = 0x3
        static let settings: UInt8 = 0x4
        static let pushPromise: UInt8 = 0x5
        static let ping: UInt8 = 0x6
        public static let goAway: UInt8 = 0x7
        static let windowUpdate: UInt8 = 0x8
        static let continuation: UInt8 = 0x9
    }

    public struct Flags: OptionSet, Sendable {
        public let rawValue: UInt8

        public init(rawValue: UInt8) { self.rawValue = rawValue }

        static let endStream = Flags(rawValue: 0x1)
        static let acknowledgement = Flags(rawValue: 0x1)
        static let endHeaders = Flags(rawValue: 0x4)
        static let padded = Flags(rawValue: 0x8)
        static let priority = Flags(rawValue: 0x20)
    }

    static let headerLength = 9

    var kind: UInt8
    var flags: Flags
    /// Without the reserved bit.
    var stream: UInt32
    /// Indices into the buffer that the frame was read from.
    var payload: Range<Int>

    /// The frame whose header is at the start of `buffer`; nil while the header is incomplete. The payload may be
    /// missing still.
    init?(at buffer: ByteBuffer) {
        let start = buffer.readerIndex
        guard
            buffer.readableBytes >= Self.headerLength,
            let word = buffer.getInteger(at: start, as: UInt64.self),
            let last = buffer.getInteger(at: start + 8, as: UInt8.self)
        else { return nil }
        let length = Int(word >> 40)
        kind = UInt8(truncatingIfNeeded: word >> 32)
        flags = Flags(rawValue: UInt8(truncatingIfNeeded: word >> 24))
        stream = (UInt32(truncatingIfNeeded: word) << 8 | UInt32(last)) & 0x7fff_ffff
        payload = (start + Self.headerLength)..<(start + Self.headerLength + length)
    }
}

extension ByteBuffer {
    mutating func writeFrameHeader(length: Int, kind: UInt8, flags: HTTP2Frame.Flags, stream: UInt32) {
        let first = UInt64(length) << 40 | UInt64(kind) << 32 | UInt64(flags.rawValue) << 24 | UInt64(stream) >> 8
        writeMultipleIntegers(first, UInt8(truncatingIfNeeded: stream))
    }

    mutating func setFrameHeader(at index: Int, length: Int, kind: UInt8, flags: HTTP2Frame.Flags, stream: UInt32) {
        let first = UInt64(length) << 40 | UInt64(kind) << 32 | UInt64(flags.rawValue) << 24 | UInt64(stream) >> 8
        setInteger(first, at: index)
        setInteger(UInt8(truncatingIfNeeded: stream), at: index + 8)
    }

    /// RFC 9113 section 6.4.
    mutating func writeResetStream(_ stream: UInt32, _ code: HTTP2ErrorCode) {
        writeFrameHeader(length: 4, kind: HTTP2Frame.Kind.resetStream, flags: [], stream: stream)
        writeInteger(code.rawValue)
    }

    /// RFC 9113 section 6.9.
    mutating func writeWindowUpdate(_ stream: UInt32, _ increment: Int) {
        writeFrameHeader(length: 4, kind: HTTP2Frame.Kind.windowUpdate, flags: [], stream: stream)
        writeInteger(UInt32(truncatingIfNeeded: increment))
    }

    /// RFC 9113 section 6.8. `reason` is sent as debug data.
    mutating func writeGoAway(lastStream: UInt32, _ code: HTTP2ErrorCode, reason: StaticString) {
        let length = 8 + reason.utf8CodeUnitCount
        writeFrameHeader(length: length, kind: HTTP2Frame.Kind.goAway, flags: [], stream: 0)
        writeMultipleIntegers(lastStream, code.rawValue)
        writeStaticString(reason)
    }
}
