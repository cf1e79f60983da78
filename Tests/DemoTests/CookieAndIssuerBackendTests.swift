import HTTPTypes
import Testing
import Verification

@testable import Demo

struct CookieAndIssuerBackendTests {
    private let key: SigningKey

    init() throws {
        key = try SigningKey.generate(.p256)
    }

    private func chat() throws -> ChatBackend {
        ChatBackend(key: try AppKey(.es256, key), now: { noon })
    }

    private func chatToken(id: String = "one", type: String = "at+jwt") throws -> String {
        try GatewayToken.make(key, .es256, issuer: "https://chat.localhost", audience: "chat-api", id: id, type: type)
    }

    @Test func financeSetsHttpOnlyCookieForItsResource() async throws {
        let key = try AppKey(secret: Array("another secret of the tests, long enough".utf8))
        try await AppUnderTest.run(FinanceBackend(key: key, now: { noon })) { app in
            let signIn = try await app.send(.post, "/auth/login", json: .signIn())
            let cookie = try #require(signIn.cookies.first)
            #expect(cookie.hasPrefix("auth-token=ey"))
            #expect(cookie.contains("HttpOnly"))
            let pair = String(cookie.prefix { $0 != ";" })
            try await app.expect(200, .get, "/api/accounts", cookie: pair)
            try await app.expect(200, .post, "/auth/logout", cookie: pair)
            try await app.expect(401, .get, "/api/accounts", cookie: pair)
        }
    }

    @Test func chatRequiresGatewayFieldsBesideToken() async throws {
        let token = try chatToken()
        try await AppUnderTest.run(try chat()) { app in
            try await app.expect(200, .get, "/api/messages", token: token, identity: "user-alice")
            try await app.expect(401, .get, "/api/messages", token: token)
            try await app.expect(401, .get, "/api/messages", token: token, identity: "user-bob")
            let cookie = "ce_access_token=\(token)"
            try await app.expect(200, .get, "/api/messages", identity: "user-alice", cookie: cookie)
        }
    }

    /// An ID token has the same key, issuer and perhaps audience.
    @Test func chatRefusesTokenThatIsNotAccessToken() async throws {
        let token = try chatToken(type: "JWT")
        try await AppUnderTest.run(try chat()) { app in
            try await app.expect(401, .get, "/api/messages", token: token, identity: "user-alice")
        }
    }

    @Test(arguments: ["/api/auth/login", "/api/auth/refresh", "/api/auth/logout"])
    func gatewayPathsAreNotServed(_ path: String) async throws {
        let token = try chatToken()
        try await AppUnderTest.run(try chat()) { app in
            try await app.expect(404, .post, path, token: token, identity: "user-alice", json: .signIn())
        }
    }

    @Test func staleTokenIsRefusedAndSessionIsKept() async throws {
        let stale = try chatToken(id: "stale")
        let next = try chatToken(id: "next")
        try await AppUnderTest.run(try chat()) { app in
            let cookie = "ce_access_token=\(stale)"
            try await app.expect(200, .post, "/sample/stale", identity: "user-alice", cookie: cookie)
            try await app.expect(401, .get, "/api/messages", identity: "user-alice", cookie: cookie)
            try await app.expect(200, .get, "/api/messages", token: next, identity: "user-alice")
        }
    }

    @Test func onlyCallersTokenCanBeMadeStale() async throws {
        let token = try chatToken()
        try await AppUnderTest.run(try chat()) { app in
            try await app.expect(401, .post, "/sample/stale")
            try await app.expect(401, .post, "/sample/stale", token: token, identity: "user-bob")
            try await app.expect(200, .get, "/api/messages", token: token, identity: "user-alice")
        }
    }

    @Test func clansReturnsTokenSubject() async throws {
        let key = try SigningKey.generate(.rsa(bits: 2048))
        let token = try GatewayToken.make(
            key,
            .rs256,
            issuer: "https://clans.localhost/oidc",
            audience: "clanboards-mobile"
        )
        try await AppUnderTest.run(ClansBackend(key: try AppKey(.rs256, key), now: { noon })) { app in
            try await app.expect(200, .get, "/api/v1/clans", token: token, identity: "user-alice")
            let me = try await app.send(.get, "/api/v1/users/me", token: token, identity: "user-alice")
            #expect(me.json["user"]?.object?["id"] == "user-alice")
            try await app.expect(401, .get, "/api/v1/users/me", token: token, identity: "user-bob")
        }
    }
}
