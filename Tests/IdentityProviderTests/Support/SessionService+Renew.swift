import IdentityProvider
import Time

extension SessionService {
    /// By a token for all that apps are granted, which is bound to nothing.
    func renew(sessionID: String, subject: String, at now: UnixTime) async throws(IssuingError) -> IssuedTokens {
        let scopes = SessionOpening(subject: subject).scopes
        return try await renew(sessionID: sessionID, subject: subject, scopes: scopes, boundTo: nil, at: now)
    }
}
