/// What went wrong between the gateway and a server. A response is never a failure, whatever its status: a 503 comes
/// from the application, and may concern one path or one caller only.
package enum ServerFailure: Error, Equatable {
    /// No connection, known at once: refused, no route, or a failed TLS handshake.
    case connectFailed
    /// No connection within the connect timeout.
    case connectTimedOut
    /// The connection broke, or the bytes were not HTTP, before the head of a response.
    case reset
    /// Connected and the request was sent, but no response head arrived in time.
    case silent

    var isOfConnecting: Bool {
        switch self {
        case .connectFailed, .connectTimedOut: true
        case .reset, .silent: false
        }
    }
}

extension ConnectProblem {
    /// What it means for the server's health.
    var failure: ServerFailure { self == .timedOut ? .connectTimedOut : .connectFailed }
}
