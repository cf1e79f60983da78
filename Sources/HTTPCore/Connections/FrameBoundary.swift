/// Follows the frames of one direction of a WebSocket (RFC 6455 section 5.2), so that the gateway inserts its own
/// frames only between two others, never inside one.
///
/// It neither keeps nor changes bytes, and does not validate: client and server check masking, reserved bits, opcodes
/// and the shortest form of a length themselves. Only headers are read: payload is skipped, whatever its length.
public struct FrameBoundary: Sendable {
    private static let shortestHeader: UInt8 = 2
    private static let closeOpcode: UInt8 = 0x8

    /// Bytes seen of the current frame's header.
    private var headerSeen: UInt8 = 0
    /// Bytes of the current frame's header; 2 until the second byte is known.
    private var headerLength = shortestHeader
    /// The offset in the header at which the extended length ends; 2 if there is none.
    private var lengthEnd = shortestHeader
    private var payloadLeft: UInt64 = 0
    private var isClose = false

    /// Whether a complete Close frame (section 5.5.1) has passed. Frames after it are still followed.
    public private(set) var hasClosed = false
    /// Whether a frame had a 64-bit length with its top bit set, which the RFC forbids: the start of the next frame is
    /// unknown. This is permanent.
    private(set) var isBroken = false

    public init() {}

    /// Whether the bytes so far end with a complete frame, or there were none.
    public var isAtBoundary: Bool { headerSeen == 0 && !isBroken }

    /// Takes the direction's next bytes, which may begin and end anywhere in a frame.
    public mutating func advance(_ bytes: Span<UInt8>) {
        var position = 0
        while position < bytes.count, !isBroken {
            position = takeFrame(bytes, from: position)
        }
    }

    /// How many of the direction's next bytes belong to the current frame: after them the gateway can insert its own.
    ///
    /// - Returns: 0 between two frames; nil if the frame does not end within `bytes`, or its end is unknown.
    public func prefixToBoundary(_ bytes: Span<UInt8>) -> Int? {
        if isAtBoundary { return 0 }
        var ahead = self
        let end = ahead.takeFrame(bytes, from: 0)
        return ahead.isAtBoundary ? end : nil
    }

    /// Reads to the end of the current frame or of `bytes`, and returns the position there.
    private mutating func takeFrame(_ bytes: Span<UInt8>, from start: Int) -> Int {
        var position = start
        while headerSeen < headerLength {
            guard position < bytes.count, !isBroken else { return position }
            takeHeaderByte(bytes[position])
            position += 1
        }
        let taken = min(payloadLeft, UInt64(bytes.count - position))
        payloadLeft -= taken
        if payloadLeft == 0 { endFrame() }
        return position + Int(taken)
    }

    private mutating func takeHeaderByte(_ byte: UInt8) {
        switch headerSeen {
        case 0:
            isClose = byte & 0x0f == Self.closeOpcode
        case 1:
            let length = byte & 0x7f
            payloadLeft = length < 126 ? UInt64(length) : 0
            lengthEnd = length < 126 ? 2 : length == 126 ? 4 : 10
            let isMasked = byte & 0x80 != 0
            headerLength = isMasked ? lengthEnd + 4 : lengthEnd
        case 2..<lengthEnd:
            isBroken = lengthEnd == 10 && headerSeen == 2 && byte & 0x80 != 0
            payloadLeft = payloadLeft << 8 | UInt64(byte)
        default:
            // The masking key.
            break
        }
        headerSeen += 1
    }

    private mutating func endFrame() {
        headerSeen = 0
        headerLength = Self.shortestHeader
        hasClosed = hasClosed || isClose
    }
}
