import IdentityProvider
import Time

extension SessionService {
    /// With an unbound token of all scopes that apps get.
    func renew(sessionID: String, subject: String, at now: UnixTime) async throws(IssuingError) -> IssuedTokens {
        let scopes = SessionOpening(subject: subject).scopes
        return try await renew(sessionID: sessionID, subject: subject, scopes: scopes, boundTo: nil, at: now)
    }
}
