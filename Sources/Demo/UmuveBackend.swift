import HTTPTypes
import Hummingbird
import Time
import Verification

/// The backend of the customer and the driver app: issues bearer tokens for a week and refreshes them itself, with the
/// old bearer token. An address of `admin@…` signs in as an admin of the customer app. For a sign-in with Apple the
/// gateway names the user, whose role is that of the app used first.
struct UmuveBackend: SampleApp {
    static let customerAudience = "umuve-customer"
    static let driverAudience = "umuve-driver"
    /// How long after its expiry a token may still be refreshed.
    private static let grace: Double = 7 * 86_400

    let name = "umuve"
    let sessions = Sessions()
    private let verified = VerifiedSignIns()
    private let tokens: AppTokens

    init(key: AppKey, now: @escaping @Sendable () -> UnixTime) {
        tokens = AppTokens(
            issuer: "https://api.umuve.example",
            audiences: [Self.customerAudience, Self.driverAudience],
            key: key,
            lifetime: 7 * 86_400,
            now: now
        )
    }

    func addRoutes(to router: Router<BasicRequestContext>) {
        router.post("/api/auth/login") { request, _ in
            var request = request
            guard let signIn = await request.jsonBody().flatMap(PasswordSignIn.init) else {
                return PasswordSignIn.refused
            }
            let user = Self.user(signIn)
            return .json(["token": .string(try token(for: user, Self.audience(of: user))), "user": user.json])
        }
        router.post("/api/auth/apple") { request, _ in try await signInVerified(request) }
        router.post("/api/auth/refresh") { request, _ in try await refresh(request) }
        router.post("/api/auth/logout") { request, _ in
            await answering(request) { caller in
                if let id = caller.tokenID { await sessions.mark(id, .ended) }
                return .json(["success": true])
            }
        }
        for path in ["/api/me", "/api/auth/me"] as [RouterPath] {
            router.get(path) { request, _ in
                await answering(request) { caller in .json(["user": SampleUser(caller).json]) }
            }
        }
        addResource("/api/jobs", named: "jobs", to: router)
        addResource("/api/admin/jobs", named: "every job", to: router)
    }

    func caller(of request: Request) async throws(Unauthorized) -> Principal {
        guard let token = request.bearerToken else { throw Unauthorized(reason: "no token") }
        let principal = try tokens.principal(of: token)
        // The app trusts its own token; a different name in the identity header means a broken gateway.
        if let subject = SeenIdentity.subject(of: request), subject != principal.subject {
            throw Unauthorized(reason: "identity header and token differ")
        }
        return principal
    }

    /// A token as issued at a sign-in to the app of this audience, or one that expired that many seconds ago.
    func token(for user: SampleUser, _ audience: String, expiredFor seconds: Int? = nil) throws -> String {
        try tokens.mint(for: user, audience: audience, expiredFor: seconds)
    }

    /// Drivers have a separate app; all others sign in to the customers'.
    private static func audience(of user: SampleUser) -> String {
        user.role == "driver" ? driverAudience : customerAudience
    }

    /// Sign in with Apple: the gateway has verified Apple's token and names the user.
    private func signInVerified(_ request: Request) async throws -> Response {
        switch await verified.enter(request, role: Self.role(ofApp: request)) {
        case .signedIn(let user)?:
            return .json([
                "success": true, "token": .string(try token(for: user, Self.audience(of: user))), "user": user.json,
            ])
        case .registered(let role)?:
            return .json(["error": .string("This account is registered as a \(role)")], status: .conflict)
        case nil: return .unauthorized("no verified user: this backend is reached through the gateway")
        }
    }

    /// The app of the request, by its host.
    private static func role(ofApp request: Request) -> String {
        let host = HTTPField.Name("X-Forwarded-Host").flatMap { request.headers[$0] }
        return host?.hasPrefix("driver.") == true ? "driver" : "customer"
    }

    private func refresh(_ request: Request) async throws -> Response {
        guard let token = request.bearerToken,
            let principal = try? tokens.principal(of: token, leeway: Self.grace), let id = principal.tokenID
        else { return .unauthorized("no token to refresh") }
        if case .ended? = await sessions.status(of: id) { return .unauthorized("this session has ended") }
        await sessions.mark(id, .ended)
        let audience = principal.audiences.first ?? Self.customerAudience
        return .json(["token": .string(try self.token(for: SampleUser(principal), audience))])
    }

    private static func user(_ signIn: PasswordSignIn) -> SampleUser {
        if signIn.email.hasPrefix("admin@") { return SampleUser(email: signIn.email, role: "admin") }
        return SampleUser(email: signIn.email, role: signIn.role == "driver" ? "driver" : "customer")
    }
}
