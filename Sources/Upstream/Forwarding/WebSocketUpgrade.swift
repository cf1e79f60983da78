import Authorization
package import HTTPCore

/// A client's WebSocket handshake, with what the backend's side of it needs. Every request may have one, and few do: an
/// object costs the others less than a value.
package final class WebSocketUpgrade {
    private enum Key {
        /// The client's own: it passes unchanged, and so does the server's response to it.
        case clients([UInt8])
        /// Made for a client that cannot send one (RFC 8441 section 5).
        case ours([UInt8])
    }

    private let key: Key

    /// Nil for an ordinary request, which asks for no WebSocket.
    ///
    /// - Parameter lacksKey: Whether the client used an extended CONNECT, which has no key.
    /// - Throws: What is wrong with a handshake.
    package init?(
        _ head: RequestHead,
        _ bytes: Span<UInt8>,
        lacksKey: Bool,
        _ identifiers: inout IdentifierGenerator
    ) throws(HTTPViolation) {
        guard head.hasUpgrade, bytes.isExactly("GET", head.method) else { return nil }
        let fields = WebSocketFields(head, bytes)
        guard fields.switchesToWebSocket else { return nil }
        if let violation = lacksKey ? fields.violationWithoutKey : fields.violation { throw violation }
        if let key = fields.key {
            // With two keys the ends could choose different ones.
            guard !lacksKey else { throw .badRequest("an extended CONNECT has no Sec-WebSocket-Key") }
            self.key = .clients(key)
        } else {
            key = .ours(WebSocketHandshake.key(identifiers.next(), identifiers.next()))
        }
    }

    /// The key that has to be added to the head for the backend.
    package var missingKey: [UInt8]? {
        if case .ours(let key) = key { return key }
        return nil
    }

    /// Whether the head of a 101 accepts the handshake.
    func isAnswered(by head: ResponseHead, _ bytes: Span<UInt8>) -> Bool {
        let fields = WebSocketFields(head, bytes)
        switch key {
        case .clients(let key), .ours(let key): return fields.grants(key: key)
        }
    }
}
