import Hummingbird
import Verification

/// The backend of the clans app, whose OpenID provider is the gateway: its sign-in begins the sessions there.
struct ClansBackend: SampleApp {
    static let audience = "clanboards-mobile"

    let name = "clans"
    let sessions = Sessions()
    let issued: IssuerSessions

    /// - Parameter startSession: Asks the gateway; nil: the app is its own issuer.
    init(key: AppKey, now: @escaping @Sendable () -> Double, startSession: StartSession? = nil) {
        let tokens = AppTokens(
            issuer: "https://clans.localtest/oidc",
            audiences: [Self.audience],
            key: key,
            lifetime: 3600,
            now: now
        )
        issued = IssuerSessions(
            app: .clans,
            audience: Self.audience,
            tokens: tokens,
            sessions: sessions,
            start: startSession
        )
    }

    func addRoutes(to router: Router<BasicRequestContext>) {
        router.post("/api/v1/users/auth/login") { request, _ in
            var request = request
            guard let signIn = await request.jsonBody().flatMap(SignIn.init) else { return SignIn.refused }
            return .json(try await issued.begin(for: Self.user(signIn.email)).json)
        }
        if issued.areOwn { addRefresh(to: router) }
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
        return try await callerByGateway(request, token: token, tokens: issued.tokens)
    }

    static func user(_ email: String) -> SampleUser {
        SampleUser(email: email, role: "member")
    }

    private func addRefresh(to router: Router<BasicRequestContext>) {
        router.post("/api/v1/users/auth/refresh") { request, _ in
            var request = request
            guard let token = await request.jsonBody()?["refresh_token"]?.string,
                let pair = try await issued.renew(token)
            else { return Response.unauthorized("no refresh token, or one that was used") }
            return .json(pair.json)
        }
    }
}
