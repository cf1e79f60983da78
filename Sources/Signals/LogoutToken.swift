public import Time
public import Verification

/// What a verified logout token says (OpenID Connect Back-Channel Logout 1.0 section 2.4).
public struct LogoutToken: Sendable, Equatable {
    /// The member of `events` that makes a token a logout token.
    public static let event = "http://schemas.openid.net/event/backchannel-logout"

    public let issuer: String
    public let tokenID: String
    public let issuedAt: UnixTime
    public let expiresAt: UnixTime
    /// `sub`; nil only if there is a session.
    public let subject: String?
    /// `sid`; nil only if there is a subject.
    public let sessionID: String?

    /// Checks the claims (section 2.6, steps 4 to 6) of a token whose signature, `iss`, `aud`, `iat` and `exp` are good.
    ///
    /// - Parameters:
    ///   - principal: Verified as a token with the purpose ``TokenPurpose/logout``.
    ///   - mapping: Where the issuer's tokens have subject and session, if not in `sub` and `sid`. A logout token that has
    ///     nothing there is read as usual.
    public init(_ principal: Principal, mapping: ClaimMapping? = nil, at now: UnixTime) throws(SignalProblem) {
        guard let issuedAt = principal.issuedAt else { throw .missing("iat") }
        guard let expiresAt = principal.expiresAt else { throw .missing("exp") }
        guard let tokenID = principal.tokenID else { throw .missing("jti") }
        guard tokenID.utf8.count <= SubjectIdentifier.longestText else { throw .unusable("jti") }
        guard TokenAge.isWithin(TokenAge.longestOfLogoutToken, issuedAt: issuedAt, now: now) else { throw .tooOld }
        guard principal.claims["nonce"] == nil else { throw .nonce }
        guard let events = principal.claims["events"]?.object else { throw .missing("events") }
        guard case .object? = events[Self.event] else { throw .notALogout }
        var (subject, sessionID) = (principal.subject, principal.sessionID)
        for finding in mapping?.findings(in: principal.claims) ?? [] {
            switch finding.field {
            case .subject: subject = finding.values.first ?? subject
            case .session: sessionID = finding.values.first ?? sessionID
            case .roles, .scopes, .email, .audience: break
            }
        }
        guard subject.map(Self.isName) ?? true else { throw .unusable("sub") }
        guard sessionID.map(Self.isName) ?? true else { throw .unusable("sid") }
        guard subject != nil || sessionID != nil else { throw .nobody }
        issuer = principal.issuer
        self.tokenID = tokenID
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.subject = subject
        self.sessionID = sessionID
    }

    private static func isName(_ text: String) -> Bool {
        (1...SubjectIdentifier.longestText).contains(text.utf8.count)
    }
}
