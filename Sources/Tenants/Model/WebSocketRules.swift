/// The rules for a tenant's WebSockets.
public struct WebSocketRules: Sendable, Equatable {
    public enum OnExpiry: String, Sendable, CaseIterable {
        /// Closed with 1008 to the client and 1001 to the backend (RFC 6455 section 7.4.1).
        case close
        /// Left open until one side ends it; a revoked token still closes it.
        case keep
    }

    /// When the token that opened it expires.
    public var onExpiry = Schema.webSocket.onExpiry.default
}
