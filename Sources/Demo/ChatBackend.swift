import Hummingbird
import Time
import Verification

/// The backend of the chat app: web clients use cookies, mobile ones a bearer token.
///
/// The gateway signs users in, refreshes their tokens and signs them out; this backend takes the caller from its
/// identity header, and uses the token only to simulate stale and ended sessions.
struct ChatBackend: SampleApp {
    static let audience = "chat-api"
    static let accessCookie = "ce_access_token"

    let name = "chat"
    let browserPaths: BrowserPaths? = BrowserPaths(signIn: "/api/auth/login", signOut: "/api/auth/logout")
    let sessions = Sessions()
    let tokens: AppTokens

    /// - Parameter key: The key of the tenant's issuer.
    init(key: AppKey, now: @escaping @Sendable () -> UnixTime) {
        tokens = AppTokens(
            issuer: "https://chat.localhost",
            audiences: [Self.audience],
            key: key,
            lifetime: 30 * 60,
            isGateways: true,
            now: now
        )
    }

    func addRoutes(to router: Router<BasicRequestContext>) {
        addResource("/api/messages", named: "messages", to: router)
    }

    func caller(of request: Request) async throws(Unauthorized) -> Principal {
        guard let token = request.bearerToken ?? request.cookies[Self.accessCookie]?.value else {
            throw Unauthorized(reason: "no token")
        }
        return try await callerByGateway(request, token: token, tokens: tokens)
    }
}
