import Demo
import Verification

/// The lines that sign users in and out. Each has a separate token: Apple's work once, and for a minute the same
/// request gets the same response.
extension DemoTenant {
    private static let clansBase = "/api/v1/users"
    private static let clansClient = "clanboards-mobile"

    func customerSignIns() throws -> [DemoLine] {
        [
            line(200, "signs in with a password, at its backend", "/api/auth/login", password(role: "customer")),
            line(
                200,
                "signs in with Apple: the gateway checks the token, the backend makes its own",
                try providers.appleExchange(for: app)
            ),
            line(
                401,
                "Apple's token with another nonce than the app's",
                try providers.appleExchange(for: app, nonce: "made-up")
            ),
            line(
                401,
                "a body that proves nothing, as older apps sent it",
                DemoExchange(
                    path: DemoProviders.applePath(of: app),
                    body: ["userIdentifier": .string(DemoProviders.appleSubject(of: "alice"))]
                )
            ),
        ]
    }

    func driverSignIns() throws -> [DemoLine] {
        [
            line(200, "signs in with a password, at its backend", "/api/auth/login", password(role: "driver")),
            line(200, "signs in with Apple", try providers.appleExchange(for: app, user: "dora")),
            line(
                409,
                "who is registered as a customer is no driver",
                try providers.appleExchange(for: app, user: Self.registeredCustomer)
            ),
        ]
    }

    /// Signed in to the customer app before the first line is read.
    static let registeredCustomer = "carol"

    func chatSignIns() async throws -> [DemoLine] {
        let session = try await signIn(app, nil, nil)
        let leaving = bearer(try await signIn(app, nil, nil).accessToken)
        return [
            line(
                200,
                "signs in with Google: the tokens are the gateway's own",
                providers.googleExchange(for: app)
            ),
            line(
                401,
                "a token that Google gave to somebody else's app",
                providers.googleExchange(for: app, audience: "another.apps.example")
            ),
            line(200, "signs in with Apple", try providers.appleExchange(for: app)),
            line(
                303,
                "a browser is sent to Google, and comes back to a cookie",
                "/api/auth/login",
                ["-i"],
                fields: ["location: \(providers.standIn.url)/google/auth?", "set-cookie: "]
            ),
            line(200, "who am I", "/api/auth/me", bearer(session.accessToken)),
            line(
                200,
                "a new pair of tokens",
                DemoExchange(
                    path: "/api/auth/refresh",
                    body: ["refresh_token": .string(session.refreshToken ?? "")]
                )
            ),
            line(200, "signs out: this session alone", "/api/auth/logout", ["-X", "POST"] + leaving),
            line(401, "its token opens nothing any more", "/api/messages", leaving),
        ]
    }

    func clansSignIns() async throws -> [DemoLine] {
        let session = try await signIn(app, nil, nil)
        let revoked = try await signIn(app, nil, nil)
        return [
            line(200, "signs in with Apple", try providers.appleExchange(for: app)),
            line(200, "what the OpenID provider can do", "\(Self.clansBase)/.well-known/openid-configuration"),
            line(200, "its keys", "\(Self.clansBase)/oauth2/jwks.json"),
            line(
                200,
                "the hosted sign-in page, for an OpenID client with PKCE",
                "\(Self.clansBase)/oauth2/authorize?\(authorization)",
                fields: ["content-type: text/html"]
            ),
            line(200, "who am I", "\(Self.clansBase)/userinfo", bearer(session.accessToken)),
            line(
                200,
                "a new pair of tokens",
                "\(Self.clansBase)/oauth2/token",
                form([
                    "grant_type=refresh_token", "client_id=\(Self.clansClient)",
                    "refresh_token=\(session.refreshToken ?? "")",
                ])
            ),
            line(
                200,
                "takes the refresh token back: the session ends",
                "\(Self.clansBase)/oauth2/revoke",
                form(["client_id=\(Self.clansClient)", "token=\(revoked.refreshToken ?? "")"])
            ),
            line(401, "its access token opens nothing any more", "/api/v1/clans", bearer(revoked.accessToken)),
        ]
    }

    /// An app library's authorization request (RFC 7636 section 4.3).
    private var authorization: String {
        let challenge = Base64URL.encode(SHA256.digest(Array(RandomText.make(bytes: 32).utf8)))
        return "response_type=code&client_id=\(Self.clansClient)&redirect_uri=clanboards%3A%2F%2Foauthredirect"
            + "&scope=openid%20email%20profile&state=\(RandomText.make(bytes: 8))&nonce=\(RandomText.make(bytes: 8))"
            + "&code_challenge=\(challenge)&code_challenge_method=S256"
    }

    private func line(_ status: Int, _ title: String, _ exchange: DemoExchange) -> DemoLine {
        line(
            status,
            title,
            exchange.path,
            ["-H", "Content-Type: application/json", "-d", JSONWriter.text(of: .object(exchange.body))]
        )
    }

    private func form(_ pairs: [String]) -> [String] {
        pairs.flatMap { ["-d", $0] }
    }
}
