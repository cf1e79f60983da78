/// A WebSocket frame (RFC 6455 section 5.2), in either direction.
struct WebSocketFrame: Sendable, Equatable {
    enum Opcode: UInt8 {
        case continuation = 0x0
        case text = 0x1
        case binary = 0x2
        case close = 0x8
        case ping = 0x9
        case pong = 0xa
    }

    var opcode: UInt8
    var isFinal = true
    /// Four bytes, from a client; nil from a server.
    var mask: [UInt8]?
    /// Unmasked.
    var payload: [UInt8]

    init(_ opcode: Opcode, _ payload: [UInt8] = [], mask: [UInt8]? = nil, isFinal: Bool = true) {
        self.opcode = opcode.rawValue
        self.isFinal = isFinal
        self.mask = mask
        self.payload = payload
    }

    fileprivate init(opcode: UInt8, isFinal: Bool, mask: [UInt8]?, payload: [UInt8]) {
        self.opcode = opcode
        self.isFinal = isFinal
        self.mask = mask
        self.payload = payload
    }

    /// A text frame of a client.
    static func fromClient(_ text: String) -> WebSocketFrame {
        WebSocketFrame(.text, Array(text.utf8), mask: [0x37, 0xfa, 0x21, 0x3d])
    }

    /// A text frame of a server.
    static func fromServer(_ text: String) -> WebSocketFrame {
        WebSocketFrame(.text, Array(text.utf8))
    }

    /// With the shortest form of the length.
    var bytes: [UInt8] {
        var bytes = [opcode | (isFinal ? 0x80 : 0)]
        let maskBit: UInt8 = mask == nil ? 0 : 0x80
        switch payload.count {
        case ..<126: bytes.append(UInt8(payload.count) | maskBit)
        case ..<65_536:
            bytes += [126 | maskBit, UInt8(payload.count >> 8), UInt8(truncatingIfNeeded: payload.count)]
        default:
            bytes.append(127 | maskBit)
            bytes += (0..<8).map { UInt8(truncatingIfNeeded: payload.count >> (56 - 8 * $0)) }
        }
        return bytes + (mask ?? []) + Self.masked(payload, mask)
    }

    /// The status code of a Close frame (section 5.5.1).
    var closeCode: Int? {
        guard opcode == Opcode.close.rawValue, payload.count >= 2 else { return nil }
        return Int(payload[0]) << 8 | Int(payload[1])
    }

    var closeReason: String { Array(payload.dropFirst(2)).text }

    private static func masked(_ payload: [UInt8], _ mask: [UInt8]?) -> [UInt8] {
        guard let mask else { return payload }
        return payload.indices.map { payload[$0] ^ mask[$0 % 4] }
    }
}

extension WebSocketFrame {
    /// Reads the next one; nil when the peer ended before its first byte.
    static func read(from tunnel: TunnelBytes) async throws -> WebSocketFrame? {
        guard let first = try await tunnel.next(1) else { return nil }
        let second = try await tunnel.exactly(1)[0]
        var length = Int(second & 0x7f)
        if length >= 126 {
            let extended = try await tunnel.exactly(length == 126 ? 2 : 8)
            guard extended[0] < 0x80 || extended.count == 2 else { throw Malformed("a frame of more than 2^63 bytes") }
            length = extended.reduce(0) { $0 << 8 | Int($1) }
        }
        let mask = second & 0x80 == 0 ? nil : try await tunnel.exactly(4)
        let payload = try await tunnel.exactly(length)
        return WebSocketFrame(
            opcode: first[0] & 0x0f,
            isFinal: first[0] & 0x80 != 0,
            mask: mask,
            payload: masked(payload, mask)
        )
    }
}
