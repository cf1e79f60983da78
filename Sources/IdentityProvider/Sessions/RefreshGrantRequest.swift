/// The sender of a refresh token.
public enum RefreshingClient: Sendable, Equatable {
    /// The gateway on behalf of a backend, for any client: an access token identifies the session.
    case any
    /// An authenticated OAuth client (RFC 6749 section 6).
    case client(String)
    /// No OAuth client: one of the tenant's own apps.
    case none
}

/// A request to refresh a session.
struct RefreshGrantRequest: Sendable {
    /// The expected subject; nil for any.
    var subject: String?
    var client: RefreshingClient
    /// What is proved with the request; nil for nothing.
    var binding: TokenBinding?
    /// The scopes for the new access token; nil for all that were granted.
    var scopes: [String]?

    /// - Returns: Nil if the session allows the request.
    func refusal(by session: IssuerSession) -> IssuingRefusal? {
        if let subject, !session.belongs(to: subject) { return .otherSubject }
        guard session.isFor(client) else { return .otherClient }
        guard let scopes else { return nil }
        return scopes.allSatisfy(session.has(scope:)) ? nil : .scopeExceeded
    }
}

extension IssuerSession {
    /// A client's session is for that client only; one of the tenant's apps has no client.
    fileprivate func isFor(_ client: RefreshingClient) -> Bool {
        guard let clientID else { return true }
        return switch client {
        case .any: true
        case .client(let id): id.utf8.elementsEqual(clientID.utf8)
        case .none: false
        }
    }

    fileprivate func has(scope: String) -> Bool { scopes.contains { $0.utf8.elementsEqual(scope.utf8) } }
}
