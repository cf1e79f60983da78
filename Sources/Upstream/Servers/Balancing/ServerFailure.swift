/// What went wrong between the gateway and a server. An answer is none of these, whatever its status: a 503 is the
/// application speaking, and it may speak so about one path or one caller only.
package enum ServerFailure: Error, Equatable {
    /// No connection, and that was known at once: refused, no route, a TLS handshake that failed.
    case connectFailed
    /// No connection within the connect timeout.
    case connectTimedOut
    /// The connection broke, or what came was no HTTP, before the head of an answer.
    case reset
    /// A connection stood and the request was sent, but no head of an answer came in time.
    case silent

    var isOfConnecting: Bool {
        switch self {
        case .connectFailed, .connectTimedOut: true
        case .reset, .silent: false
        }
    }
}
