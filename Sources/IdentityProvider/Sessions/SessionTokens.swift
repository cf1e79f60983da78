import Tenants
import Time
import TokenSigning
import Verification

/// Issues the tokens of a session.
struct SessionTokens: Sendable {
    let rules: IssuerRules
    let keys: any IssuerKeys

    /// - Parameters:
    ///   - refreshToken: Nil if the client keeps its present one.
    ///   - scopes: Nil for all that were granted.
    ///   - confirmation: What the access token is bound to; nil for an unbound token.
    ///   - nonce: For the first ID token.
    func make(
        _ session: IssuerSession,
        _ refreshToken: RefreshToken?,
        scopes: [String]? = nil,
        boundTo confirmation: Confirmation?,
        nonce: String? = nil,
        at now: UnixTime
    ) async throws(IssuingError) -> IssuedTokens {
        let scopes = scopes ?? session.scopes
        let claims = AccessTokenClaims.make(session, scopes: scopes, boundTo: confirmation, rules, at: now)
        do throws(SigningProblem) {
            let accessToken = try await keys.sign(claims, as: .access)
            var idToken: String?
            if scopes.contains(IDTokenClaims.scope) {
                let claims = IDTokenClaims.make(
                    session,
                    scopes: scopes,
                    accessToken: accessToken,
                    nonce: nonce,
                    rules,
                    at: now
                )
                idToken = try await keys.sign(claims, as: .id)
            }
            var refreshText = refreshToken?.text
            if let refreshToken, rules.refreshFormat == .jwt {
                refreshText = try await keys.sign(
                    RefreshTokenClaims.make(session, refreshToken, rules, at: now),
                    as: .refresh
                )
            }
            return IssuedTokens(
                accessToken: accessToken,
                refreshToken: refreshText,
                idToken: idToken,
                scopes: scopes,
                confirmation: confirmation,
                accessExpiresAt: AccessTokenClaims.expiry(rules, at: now),
                expiresIn: Int(rules.access.secondsAsDouble),
                sessionID: session.id,
                sessionExpiresAt: session.expiresAt
            )
        } catch {
            throw .cannotSign(error)
        }
    }
}
