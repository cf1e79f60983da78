import Hummingbird
import Time
import Verification

/// The backend of the clans app, whose OpenID provider is the gateway.
struct ClansBackend: SampleApp {
    static let audience = "clanboards-mobile"

    let name = "clans"
    let sessions = Sessions()
    let tokens: AppTokens

    /// - Parameters:
    ///   - key: The key of the tenant's issuer.
    ///   - former: The issuer that the app had before; nil for none.
    init(key: AppKey, former: IssuerPolicy? = nil, now: @escaping @Sendable () -> UnixTime) {
        tokens = AppTokens(
            issuer: "https://clans.localhost/oidc",
            audiences: [Self.audience],
            key: key,
            lifetime: 3600,
            isGateways: true,
            former: former,
            now: now
        )
    }

    func addRoutes(to router: Router<BasicRequestContext>) {
        router.get("/api/v1/users/me") { request, _ in
            await answering(request) { caller in .json(["user": SampleUser(caller).json]) }
        }
        addResource("/api/v1/clans", named: "clans", to: router)
    }

    func caller(of request: Request) async throws(Unauthorized) -> Principal {
        guard let token = request.bearerToken else { throw Unauthorized(reason: "no token") }
        return try await callerByGateway(request, token: token, tokens: tokens)
    }
}
