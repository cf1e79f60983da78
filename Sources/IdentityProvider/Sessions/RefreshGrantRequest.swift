/// Who presents a refresh token.
public enum RefreshingClient: Sendable, Equatable {
    /// The gateway for the app that it stands before, whichever client that is: the session is told by an access token.
    case any
    /// An OAuth client that is who it says (RFC 6749 section 6).
    case client(String)
    /// No OAuth client: one of the tenant's own apps.
    case none
}

/// What is asked with a refresh token.
struct RefreshGrantRequest: Sendable {
    /// Whose session it has to be; nil: whoever's.
    var subject: String?
    var client: RefreshingClient
    /// What is proved to be held; nil: nothing.
    var binding: TokenBinding?
    /// What the new access token is to be for; nil: all that was granted.
    var scopes: [String]?

    /// - Returns: Nil if the session gives what is asked.
    func refusal(by session: IssuerSession) -> IssuingRefusal? {
        if let subject, !session.belongs(to: subject) { return .otherSubject }
        guard session.isFor(client) else { return .otherClient }
        guard let scopes else { return nil }
        return scopes.allSatisfy(session.has(scope:)) ? nil : .scopeExceeded
    }
}

extension IssuerSession {
    /// A session of a client is for that one alone; one of the tenant's apps is bound to none.
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
