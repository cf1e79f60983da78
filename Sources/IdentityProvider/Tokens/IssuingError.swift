public import Store
public import TokenSigning

/// Why no tokens were issued.
public enum IssuingError: Error, Sendable, Equatable {
    /// The client has to sign in again: for an OAuth client, `invalid_grant` (RFC 6749 section 5.2).
    case refused(IssuingRefusal)
    /// The store failed; the session may be valid, and trying again may help.
    case unavailable(StoreError)
    /// The issuer cannot sign; its operator has to act.
    case cannotSign(SigningProblem)
}

/// Why a refresh was refused; the raw value is logged.
public enum IssuingRefusal: String, Sendable, CaseIterable {
    /// Not the form of a refresh token.
    case malformed
    /// There is no such session at this tenant, or no longer, or the token is not one of it.
    case unknownSession = "unknown_session"
    /// The session was unused for too long, or has reached its maximum lifetime.
    case expired
    /// The refresh token was used again after the window for lost responses. The session has been ended if tokens rotate
    /// strictly (`refresh_rotation: enforce`).
    case reused
    /// The session is another subject's.
    case otherSubject = "other_subject"
    /// The session is another client's.
    case otherClient = "other_client"
    /// The request did not prove the key that the session is bound to.
    case otherKey = "other_key"
    /// The session, its subject or its tenant was revoked since it began. The session has been ended.
    case revoked
    /// The request has scopes that the session lacks: for an OAuth client, `invalid_scope` (RFC 6749 section 6).
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
