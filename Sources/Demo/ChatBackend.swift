import Hummingbird
import Verification

/// The backend of the chat app: web clients come with cookies, mobile ones with a bearer token.
///
/// Its tokens are those of the tenant's built-in issuer, where its sign-in begins the sessions. It takes the caller from
/// the gateway's identity header and looks at the token only for its session.
struct ChatBackend: SampleApp {
    static let audience = "chat-api"
    static let accessCookie = "ce_access_token"
    static let refreshCookie = "ce_refresh_token"
    private static let refreshLifetime = 30 * 86_400

    let name = "chat"
    let sessions = Sessions()
    let issued: IssuerSessions

    /// - Parameter startSession: Asks the gateway; nil: the app is its own issuer.
    init(key: AppKey, now: @escaping @Sendable () -> Double, startSession: StartSession? = nil) {
        let tokens = AppTokens(
            issuer: "https://chat.localtest",
            audiences: [Self.audience],
            key: key,
            lifetime: 30 * 60,
            now: now
        )
        issued = IssuerSessions(
            app: .chat,
            audience: Self.audience,
            tokens: tokens,
            sessions: sessions,
            start: startSession
        )
    }

    func addRoutes(to router: Router<BasicRequestContext>) {
        router.post("/api/auth/login") { request, _ in
            var request = request
            guard let signIn = await request.jsonBody().flatMap(SignIn.init) else { return SignIn.refused }
            return response(try await issued.begin(for: Self.user(signIn.email)))
        }
        if issued.areOwn { addRefresh(to: router) }
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
        return try await callerByGateway(request, token: token, tokens: issued.tokens)
    }

    static func user(_ email: String) -> SampleUser {
        SampleUser(email: email, role: "member")
    }

    private func addRefresh(to router: Router<BasicRequestContext>) {
        router.post("/api/auth/refresh") { request, _ in
            var request = request
            let inBody = await request.jsonBody()?["refresh_token"]?.string
            guard let token = inBody ?? request.cookies[Self.refreshCookie]?.value,
                let pair = try await issued.renew(token)
            else { return Response.unauthorized("no refresh token, or one that was used") }
            return response(pair)
        }
    }

    private func response(_ pair: TokenPair) -> Response {
        var response = Response.json(pair.json)
        response.setCookie(.session(Self.accessCookie, pair.access, maxAge: pair.lifetime))
        response.setCookie(.session(Self.refreshCookie, pair.refresh, maxAge: Self.refreshLifetime))
        return response
    }
}
