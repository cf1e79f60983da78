/// Follows the frames of one direction of a WebSocket (RFC 6455 section 5.2), so that a frame of ours is put in between
/// two of theirs and never into one.
///
/// It keeps no byte and changes none, and does not judge: masking, reserved bits, opcodes and the shortest form of a
/// length are between the two ends. Payload is skipped by its count, so a frame costs its header whatever its size.
public struct FrameBoundary: Sendable {
    private static let shortestHeader: UInt8 = 2
    private static let closeOpcode: UInt8 = 0x8

    /// Bytes of the frame under way's header that were seen.
    private var headerSeen: UInt8 = 0
    /// As far as it is known: the second byte tells.
    private var headerLength = shortestHeader
    /// Where the header's extended length ends; 2 if it has none.
    private var lengthEnd = shortestHeader
    private var payloadLeft: UInt64 = 0
    private var isClose = false

    /// Whether a Close frame (section 5.5.1) has gone by whole. What follows one is followed all the same.
    public private(set) var hasClosed = false
    /// Whether a frame had a 64-bit length with its top bit set, which the RFC forbids: nobody can say where the next
    /// one begins. It stays so.
    private(set) var isBroken = false

    public init() {}

    /// Whether what was seen so far ends with a whole frame, or nothing was seen yet.
    public var isAtBoundary: Bool { headerSeen == 0 && !isBroken }

    /// Takes note of the direction's next bytes, however they were cut.
    public mutating func advance(_ bytes: Span<UInt8>) {
        var position = 0
        while position < bytes.count, !isBroken {
            position = takeFrame(bytes, from: position)
        }
    }

    /// How many of the direction's next bytes belong to the frame under way: a frame of ours can be put in after them.
    ///
    /// - Returns: 0 between two frames; nil where the frame does not end within `bytes`, or nobody knows where it ends.
    public func prefixToBoundary(_ bytes: Span<UInt8>) -> Int? {
        if isAtBoundary { return 0 }
        var ahead = self
        let end = ahead.takeFrame(bytes, from: 0)
        return ahead.isAtBoundary ? end : nil
    }

    /// Reads on to the end of the frame under way or of `bytes`, and gives the position there.
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
