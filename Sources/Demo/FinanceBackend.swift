import Hummingbird
import Time
import Verification

/// The backend of the finance app: its token is in an httpOnly cookie that it sets itself; nothing is refreshed.
struct FinanceBackend: SampleApp {
    static let cookie = "auth-token"
    private static let lifetime = 86_400

    let name = "finance"
    let sessions = Sessions()
    private let tokens: AppTokens

    init(key: AppKey, now: @escaping @Sendable () -> UnixTime) {
        tokens = AppTokens(
            issuer: "finance-api",
            audiences: [],
            key: key,
            lifetime: Self.lifetime,
            now: now
        )
    }

    func addRoutes(to router: Router<BasicRequestContext>) {
        for path in ["/auth/login", "/auth/register"] as [RouterPath] {
            router.post(path) { request, _ in
                var request = request
                guard let signIn = await request.jsonBody().flatMap(PasswordSignIn.init) else {
                    return PasswordSignIn.refused
                }
                let user = Self.user(signIn.email)
                var response = Response.json(["user": user.json])
                response.setCookie(.session(Self.cookie, try token(for: user), maxAge: Self.lifetime))
                return response
            }
        }
        router.post("/auth/logout") { request, _ in
            await answering(request) { caller in
                if let id = caller.tokenID { await sessions.mark(id, .ended) }
                var response = Response.json(["success": true])
                response.setCookie(.session(Self.cookie, "", maxAge: 0))
                return response
            }
        }
        router.get("/me") { request, _ in
            await answering(request) { caller in .json(["user": SampleUser(caller).json]) }
        }
        addResource("/api/accounts", named: "accounts", to: router)
    }

    func caller(of request: Request) async throws(Unauthorized) -> Principal {
        guard let token = request.cookies[Self.cookie]?.value ?? request.bearerToken else {
            throw Unauthorized(reason: "no token")
        }
        let principal = try tokens.principal(of: token)
        if let subject = SeenIdentity.subject(of: request), subject != principal.subject {
            throw Unauthorized(reason: "identity header and token differ")
        }
        return principal
    }

    /// The cookie's token after a sign-in, or one that expired that many seconds ago.
    func token(for user: SampleUser, expiredFor seconds: Int? = nil) throws -> String {
        try tokens.mint(for: user, audience: nil, expiredFor: seconds)
    }

    static func user(_ email: String) -> SampleUser {
        SampleUser(email: email, role: "member")
    }
}

extension Cookie {
    /// Invisible to scripts. Not `Secure`, as the sample backends are reached over plain HTTP.
    static func session(_ name: String, _ value: String, maxAge: Int) -> Cookie {
        Cookie(name: name, value: value, maxAge: maxAge, path: "/", httpOnly: true, sameSite: .lax)
    }
}
