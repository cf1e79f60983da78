public import Verification

/// Begins a session at the gateway's own issuer for an app, with what its tokens say beside the subject.
public typealias StartSession =
    @Sendable (
        _ app: SampleAppName, _ subject: String, _ claims: JSONObject
    ) async throws -> (accessToken: String, refreshToken: String)

/// The sessions of an app whose tokens are those of the gateway's own issuer: chat and clans.
///
/// The gateway begins them where it can be asked. Else the app makes them itself with the same key, and then it has to
/// renew them too.
struct IssuerSessions: Sendable {
    let app: SampleAppName
    let audience: String
    let tokens: AppTokens
    /// What the app holds against tokens and sessions; and its own refresh tokens.
    let sessions: Sessions
    let start: StartSession?

    /// Whether refresh tokens are the app's own, so that nobody else can take them.
    var areOwn: Bool { start == nil }

    func begin(for user: SampleUser) async throws -> TokenPair {
        guard let start else { return try await issue(session: RandomText.make(bytes: 16), user: user) }
        let pair = try await start(app, user.subject, ["email": .string(user.email), "role": .string(user.role)])
        return TokenPair(access: pair.accessToken, refresh: pair.refreshToken, lifetime: tokens.lifetime, user: user)
    }

    /// Uses up a refresh token of the app's own.
    ///
    /// - Returns: Nil for one that is worth nothing.
    func renew(_ refreshToken: String) async throws -> TokenPair? {
        guard let grant = await sessions.redeem(refreshToken) else { return nil }
        return try await issue(session: grant.session, user: grant.user)
    }

    /// The same session with an access token that expired so many seconds ago.
    func expired(_ pair: TokenPair, for seconds: Int) throws -> TokenPair {
        let session = try UnverifiedToken(Array(pair.access.utf8)).claims()["sid"]?.string
        return TokenPair(
            access: try tokens.mint(for: pair.user, audience: audience, session: session, expiredFor: seconds),
            refresh: pair.refresh,
            lifetime: pair.lifetime,
            user: pair.user
        )
    }

    private func issue(session: String, user: SampleUser) async throws -> TokenPair {
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
