import Demo
import Tenants

/// Begins a session of an app's user, for the app's own role or the given one, with an access token that is valid or
/// expired that many seconds ago.
typealias DemoSignIn =
    @Sendable (
        _ app: SampleAppName, _ role: String?, _ expiredFor: Int?
    ) async throws -> SampleSession

/// The curl lines of one tenant.
struct DemoTenant: Sendable {
    let app: SampleAppName
    let gateway: HostPort
    let signIn: DemoSignIn
    let providers: DemoProviders

    /// - Parameter token: A valid one, which no line uses up: the lines in the documents use it too. Lines that lead to
    ///   a refresh, which ends their token, have separate sessions.
    func lines(_ token: String) async throws -> [DemoLine] {
        switch app {
        case .customer: try await customer(token)
        case .driver: try await driver(token)
        case .finance: try await finance(token)
        case .chat: try await chat(token)
        case .clans: try await clans(token)
        }
    }

    private func customer(_ token: String) async throws -> [DemoLine] {
        [
            line(200, "a good token", "/api/jobs", bearer(token)),
            line(401, "no token", "/api/jobs"),
            line(401, "a forged token", "/api/jobs", bearer(forged(token))),
            line(403, "a customer is no admin", "/api/admin/jobs", bearer(token)),
        ] + (try customerSignIns()) + (try await customerRefreshes())
    }

    private func driver(_ token: String) async throws -> [DemoLine] {
        let ofCustomer = try await signIn(app, "customer", nil).accessToken
        return [
            line(200, "a good token", "/api/jobs", bearer(token)),
            line(401, "no token", "/api/jobs"),
            line(403, "a customer is no driver", "/api/jobs", bearer(ofCustomer)),
            line(
                426,
                "an app that is too old is led to the store, in the app's own words",
                "/api/jobs",
                ["-i", "-H", "X-App-Version: 1.9.3", "-H", "X-App-Platform: ios"] + bearer(token),
                fields: ["x-app-update: required"]
            ),
            line(
                200,
                "one that will soon be is told so",
                "/api/jobs",
                ["-i", "-H", "X-App-Version: 2.3.0"] + bearer(token),
                fields: ["x-app-update: recommended"]
            ),
        ] + (try driverSignIns()) + (try await driverRefreshes())
    }

    private func finance(_ token: String) async throws -> [DemoLine] {
        let expired = try await signIn(app, nil, 3600).accessToken
        return [
            line(200, "a good token in the cookie", "/api/accounts", ["-b", "auth-token=\(token)"]),
            line(200, "the same token as a bearer", "/api/accounts", bearer(token)),
            line(
                200,
                "a route: this path is /api/accounts at the backend, and 5 of 100 users have the next one",
                "/v1/accounts",
                ["-b", "auth-token=\(token)"]
            ),
            line(
                308,
                "another route sends the client to the new path",
                "/old/accounts?month=5",
                ["-i", "-b", "auth-token=\(token)"],
                fields: ["location: /v1/accounts?month=5"]
            ),
            line(401, "no token", "/api/accounts"),
            line(200, "signs in through the gateway and gets the cookie", "/auth/login", ["-i"] + password()),
            line(
                200,
                "an expired cookie beside a good bearer token, which counts",
                "/api/accounts",
                ["-b", "auth-token=\(expired)"] + bearer(token)
            ),
            line(401, "an expired token: nothing is refreshed here", "/api/accounts", ["-b", "auth-token=\(expired)"]),
            line(
                401,
                "the backend itself says no, and that is what the client gets",
                "/api/accounts?fail=401",
                ["-b", "auth-token=\(token)"]
            ),
        ]
    }

    private func chat(_ token: String) async throws -> [DemoLine] {
        [
            line(200, "a good token", "/api/messages", bearer(token)),
            line(200, "the same token in the cookie", "/api/messages", ["-b", "ce_access_token=\(token)"]),
            line(401, "no token", "/api/messages"),
            line(
                401,
                "the backend says no to a bearer, whose refresh token is not here",
                "/api/messages?fail=401",
                bearer(token)
            ),
        ] + (try await chatSignIns()) + (try await chatRefreshes())
    }

    private func clans(_ token: String) async throws -> [DemoLine] {
        [
            line(200, "a good token", "/api/v1/clans", bearer(token)),
            line(401, "no token", "/api/v1/clans"),
        ] + (try await clansSignIns()) + (try await clansRefreshes())
    }

    func line(
        _ status: Int,
        _ title: String,
        _ path: String,
        _ options: [String] = [],
        fields: [String] = []
    ) -> DemoLine {
        DemoLine(status, title, ["http://\(app.host):\(gateway.port)\(path)"] + options, fields: fields)
    }

    func bearer(_ token: String) -> [String] {
        ["-H", "Authorization: Bearer \(token)"]
    }

    /// A sign-in at a backend with passwords.
    func password(role: String? = nil) -> [String] {
        let role = role.map { ", \"role\": \"\($0)\"" } ?? ""
        return [
            "-H", "Content-Type: application/json",
            "-d", "{\"email\": \"alice@\(app.rawValue).example\", \"password\": \"demo\"\(role)}",
        ]
    }

    /// The token with another first character of its signature, still valid base64url.
    private func forged(_ token: String) -> String {
        guard let dot = token.lastIndex(of: ".") else { return token }
        let signature = token[token.index(after: dot)...]
        return token[...dot] + (signature.hasPrefix("A") ? "B" : "A") + signature.dropFirst()
    }
}
