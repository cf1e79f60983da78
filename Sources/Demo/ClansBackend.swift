import Hummingbird
import Verification

/// The backend of the clans app, whose OpenID provider is the gateway.
///
/// Until the gateway issues the tokens itself, this backend signs with the same RS256 key.
struct ClansBackend: SampleApp {
    static let audience = "clanboards-mobile"

    let name = "clans"
    let sessions = Sessions()
    private let tokens: AppTokens

    init(key: AppKey, now: @escaping @Sendable () -> Double) {
        tokens = AppTokens(
            issuer: "https://clans.localtest/oidc",
            audiences: [Self.audience],
            key: key,
            lifetime: 3600,
            now: now
        )
    }

    func addRoutes(to router: Router<BasicRequestContext>) {
        router.post("/api/v1/users/auth/login") { request, _ in
            var request = request
            guard let signIn = await request.jsonBody().flatMap(SignIn.init) else { return SignIn.refused }
            return try await tokenPair(session: RandomText.make(bytes: 16), user: Self.user(signIn.email))
        }
        router.post("/api/v1/users/auth/refresh") { request, _ in
            var request = request
            guard let token = await request.jsonBody()?["refresh_token"]?.string,
                let grant = await sessions.redeem(token)
            else { return Response.unauthorized("no refresh token, or one that was used") }
            return try await tokenPair(session: grant.session, user: grant.user)
        }
        router.post("/api/v1/users/auth/logout") { request, _ in
            await answering(request) { caller in
                if let id = caller.sessionID { await sessions.mark(id, .ended) }
                return .json(["success": true])
            }
        }
        router.get("/api/v1/users/me") { request, _ in
            await answering(request) { caller in .json(["user": SampleUser(caller).json]) }
        }
        addResource("/api/v1/clans", named: "clans", to: router)
    }

    func caller(of request: Request) async throws(Unauthorized) -> Principal {
        guard let token = request.bearerToken else { throw Unauthorized(reason: "no token") }
        return try await callerByGateway(request, token: token, tokens: tokens)
    }

    /// An access token as a sign-in gives it out.
    func token(for user: SampleUser) throws -> String {
        try tokens.mint(for: user, audience: Self.audience, session: RandomText.make(bytes: 16))
    }

    static func user(_ email: String) -> SampleUser {
        SampleUser(email: email, role: "member")
    }

    private func tokenPair(session: String, user: SampleUser) async throws -> Response {
        .json(try await issue(session: session, user: user, audience: Self.audience, tokens: tokens).json)
    }
}
