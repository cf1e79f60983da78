public import Store

/// Why there are no tokens.
public enum IssuingError: Error, Sendable, Equatable {
    /// Whoever asks has to sign in again: to a client, `invalid_grant` (RFC 6749 section 5.2).
    case refused(IssuingRefusal)
    /// Nothing is known against the session: trying again may help.
    case unavailable(StoreError)
    /// The issuer's fault, which its operator has to mend.
    case cannotSign(SigningProblem)
}

/// What is wrong with what was presented; the log's word for it.
public enum IssuingRefusal: String, Sendable, CaseIterable {
    /// No refresh token by its form.
    case malformed
    /// There is no such session at this tenant, not any more, or the token is not one of it.
    case unknownSession = "unknown_session"
    /// The session was not used for too long, or has gone on for as long as one may.
    case expired
    /// The refresh token was used before, longer ago than an answer can have been lost. The session has been ended.
    case reused
    /// The session is another subject's.
    case otherSubject = "other_subject"
    /// The session is another client's.
    case otherClient = "other_client"
    /// Whoever asks did not prove to hold what the session is bound to.
    case otherKey = "other_key"
    /// The session, its subject or its tenant was revoked since it began. The session has been ended.
    case revoked
    /// Scopes were asked for that the session does not have: to a client, `invalid_scope` (RFC 6749 section 6).
    case scopeExceeded = "scope_exceeded"
}

extension IssuingError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .refused(let refusal): "refused: \(refusal.rawValue)"
        case .unavailable(let error): error.description
        case .cannotSign(let problem): "no token can be signed: \(problem)"
        }
    }
}
