import Verification

/// The values that open a WebSocket over HTTP/1.1 (RFC 6455 section 4).
///
/// Key and Accept prove to the two ends that both speak WebSocket. With HTTP/1.1 on both sides they pass unchanged; a
/// client on HTTP/2 sends none (RFC 8441 section 5), so the gateway makes a key for the backend.
enum WebSocketHandshake {
    /// Appended to the key before it is hashed (RFC 6455 section 1.3).
    private static let suffix = Array("258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8)
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let keyLength = 24

    /// Whether an Upgrade value is exactly `websocket`, and not a list of several protocols.
    static func isUpgradeToWebSocket(_ value: Span<UInt8>) -> Bool {
        var members = 0
        var isWebSocket = true
        value.forEachListMember(0..<value.count) { member in
            members += 1
            isWebSocket = isWebSocket && value.isCaseInsensitively("websocket", member)
        }
        return members == 1 && isWebSocket
    }

    /// Whether a Connection value has the member `upgrade`.
    static func namesUpgrade(_ value: Span<UInt8>) -> Bool {
        var isNamed = false
        value.forEachListMember(0..<value.count) { member in
            isNamed = isNamed || value.isCaseInsensitively("upgrade", member)
        }
        return isNamed
    }

    /// Whether a Sec-WebSocket-Version value is 13, the only version that was ever published.
    static func isSupportedVersion(_ value: Span<UInt8>) -> Bool {
        value.count == 2 && value[0] == UInt8(ascii: "1") && value[1] == UInt8(ascii: "3")
    }

    /// Whether a Sec-WebSocket-Key value is 16 bytes in canonical base64.
    static func isKey(_ value: Span<UInt8>) -> Bool {
        guard value.count == keyLength, value[22] == UInt8(ascii: "="), value[23] == UInt8(ascii: "=") else {
            return false
        }
        for position in 0..<22 where !alphabet.contains(value[position]) { return false }
        // Of the last six bits four are past the sixteenth byte and must be zero.
        return "AQgw".utf8.contains(value[21])
    }

    /// A Sec-WebSocket-Key value of 16 bytes, which must be random (section 4.1).
    static func key(_ first: UInt64, _ second: UInt64) -> [UInt8] {
        base64(
            [first, second].flatMap { half in (0..<8).map { UInt8(truncatingIfNeeded: half >> UInt64(56 - $0 * 8)) } }
        )
    }

    /// The Sec-WebSocket-Accept value for a key (section 4.2.2): 28 bytes.
    static func accept(for key: [UInt8]) -> [UInt8] {
        base64(SHA1.digest(key + suffix))
    }

    /// Whether a Sec-WebSocket-Accept value matches this key.
    static func isAccept(_ value: Span<UInt8>, for key: [UInt8]) -> Bool {
        let expected = accept(for: key)
        guard value.count == expected.count else { return false }
        for position in expected.indices where value[position] != expected[position] { return false }
        return true
    }

    /// RFC 4648 section 4, with padding.
    private static func base64(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            bits <<= UInt32(8 * (3 - group.count))
            for digit in 0..<4 {
                let value = Int(bits >> UInt32(18 - digit * 6)) & 0x3f
                text.append(digit <= group.count ? alphabet[value] : UInt8(ascii: "="))
            }
        }
        return text
    }
}
