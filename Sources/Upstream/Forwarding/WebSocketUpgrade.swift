import Authorization
package import HTTPCore

/// A client's handshake for a WebSocket, as the backend's side of it needs it.
package struct WebSocketUpgrade {
    private enum Key {
        /// Sent by the client: it passes untouched, and so does the server's answer to it.
        case clients([UInt8])
        /// Made up for a client that has none to send (RFC 8441 section 5).
        case ours([UInt8])
    }

    private let key: Key

    /// Nil for a request that asks for no WebSocket, which is an ordinary one.
    ///
    /// - Parameter lacksKey: Whether the client came by an extended CONNECT, which has no key.
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
            // Two keys would be a choice.
            guard !lacksKey else { throw .badRequest("an extended CONNECT has no Sec-WebSocket-Key") }
            self.key = .clients(key)
        } else {
            key = .ours(WebSocketHandshake.key(identifiers.next(), identifiers.next()))
        }
    }

    /// The key that the head for the backend lacks.
    package var missingKey: [UInt8]? {
        if case .ours(let key) = key { return key }
        return nil
    }

    /// Whether the head of a 101 grants what was asked for.
    func isAnswered(by head: ResponseHead, _ bytes: Span<UInt8>) -> Bool {
        let fields = WebSocketFields(head, bytes)
        switch key {
        case .clients(let key), .ours(let key): return fields.grants(key: key)
        }
    }
}
