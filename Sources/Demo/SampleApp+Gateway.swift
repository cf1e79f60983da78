import Hummingbird
import Verification

/// What the apps share whose tokens are the gateway's own: chat and clans.
extension SampleApp {
    /// The caller of an app that believes the gateway: the identity header must be there and speak of the token's
    /// subject.
    func callerByGateway(
        _ request: Request,
        token: String,
        tokens: AppTokens
    ) async throws(Unauthorized) -> Principal {
        guard let subject = SeenIdentity.subject(of: request) else {
            throw Unauthorized(reason: "no identity header: this backend is reached through the gateway")
        }
        let principal = try tokens.principal(of: token)
        guard subject == principal.subject else { throw Unauthorized(reason: "identity header and token differ") }
        try await checkStanding(of: principal)
        return principal
    }

    /// A new access token with a refresh token beside it.
    func issue(session: String, user: SampleUser, audience: String, tokens: AppTokens) async throws -> TokenPair {
        TokenPair(
            access: try tokens.mint(for: user, audience: audience, session: session),
            refresh: await sessions.issueRefreshToken(session: session, user: user),
            lifetime: tokens.lifetime,
            user: user
        )
    }
}

/// What a sign-in and a refresh answer.
struct TokenPair: Sendable {
    let access: String
    let refresh: String
    /// Of the access token, in seconds.
    let lifetime: Int
    let user: SampleUser

    var json: JSONValue {
        [
            "access_token": .string(access), "refresh_token": .string(refresh), "token_type": "bearer",
            "expires_in": .number(JSONNumber(lifetime)), "user": user.json,
        ]
    }
}
