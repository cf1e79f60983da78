import Hummingbird
import Verification

/// The backend of the chat app: web clients come with cookies, mobile ones with a bearer token.
///
/// Its tokens are those of the tenant's built-in issuer. Until the gateway issues them itself, this backend signs with
/// the same key. It takes the caller from the gateway's identity header and looks at the token only for its session.
struct ChatBackend: SampleApp {
    static let audience = "chat-api"
    static let accessCookie = "ce_access_token"
    static let refreshCookie = "ce_refresh_token"
    private static let refreshLifetime = 30 * 86_400

    let name = "chat"
    let sessions = Sessions()
    private let tokens: AppTokens

    init(key: AppKey, now: @escaping @Sendable () -> Double) {
        tokens = AppTokens(
            issuer: "https://chat.localtest",
            audiences: [Self.audience],
            key: key,
            lifetime: 30 * 60,
            now: now
        )
    }

    func addRoutes(to router: Router<BasicRequestContext>) {
        router.post("/api/auth/login") { request, _ in
            var request = request
            guard let signIn = await request.jsonBody().flatMap(SignIn.init) else { return SignIn.refused }
            return try await tokenPair(session: RandomText.make(bytes: 16), user: Self.user(signIn.email))
        }
        router.post("/api/auth/refresh") { request, _ in
            var request = request
            let inBody = await request.jsonBody()?["refresh_token"]?.string
            guard let token = inBody ?? request.cookies[Self.refreshCookie]?.value,
                let grant = await sessions.redeem(token)
            else { return Response.unauthorized("no refresh token, or one that was used") }
            return try await tokenPair(session: grant.session, user: grant.user)
        }
        router.post("/api/auth/logout") { request, _ in
            await answering(request) { caller in
                if let id = caller.sessionID { await sessions.mark(id, .ended) }
                var response = Response.json(["success": true])
                response.setCookie(.session(Self.accessCookie, "", maxAge: 0))
                response.setCookie(.session(Self.refreshCookie, "", maxAge: 0))
                return response
            }
        }
        router.get("/api/auth/me") { request, _ in
            await answering(request) { caller in .json(["user": SampleUser(caller).json]) }
        }
        addResource("/api/messages", named: "messages", to: router)
    }

    func caller(of request: Request) async throws(Unauthorized) -> Principal {
        guard let token = request.bearerToken ?? request.cookies[Self.accessCookie]?.value else {
            throw Unauthorized(reason: "no token")
        }
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
        let pair = try await issue(session: session, user: user, audience: Self.audience, tokens: tokens)
        var response = Response.json(pair.json)
        response.setCookie(.session(Self.accessCookie, pair.access, maxAge: tokens.lifetime))
        response.setCookie(.session(Self.refreshCookie, pair.refresh, maxAge: Self.refreshLifetime))
        return response
    }
}
