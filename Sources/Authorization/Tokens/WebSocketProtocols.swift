/// Tokens among the subprotocols of a WebSocket (RFC 6455 section 11.3.4). A browser's script can add no other field to
/// a handshake, so some clients send the token as a subprotocol.
package enum WebSocketProtocols {
    /// Whether `header:NAME` means this field.
    package static func isName(_ name: String) -> Bool {
        name.utf8.count == 22 && name.lowercased() == "sec-websocket-protocol"
    }

    /// Calls `body` with each member that has the form of a token, and `others` with the rest.
    package static func forEach(
        _ bytes: Span<UInt8>,
        _ value: Range<Int>,
        token body: (Range<Int>) -> Void,
        other: (Range<Int>) -> Void
    ) {
        bytes.forEachListMember(value) { member in
            if isToken(bytes, member) { body(member) } else { other(member) }
        }
    }

    /// Three parts with dots between them, as a compact JWS has (RFC 7515 section 7.1), and too long for a protocol's
    /// name.
    private static func isToken(_ bytes: Span<UInt8>, _ member: Range<Int>) -> Bool {
        var dots = 0
        for position in member {
            let byte = bytes[position]
            if byte == UInt8(ascii: ".") {
                dots += 1
            } else if !byte.isTokenByte {
                return false
            }
        }
        return dots == 2 && member.count >= 40
    }
}
