import HTTPTypes
import Testing
import Verification

@testable import Demo

struct CookieAndIssuerBackendTests {
    private func chat() throws -> ChatBackend {
        ChatBackend(key: try AppKey(.es256, try SigningKey.generate(.p256)), now: { noon })
    }

    @Test func financeSetsAnHttpOnlyCookieThatItsResourceTakes() async throws {
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

    @Test func chatBelievesTheGatewayAndNotTheTokenAlone() async throws {
        try await AppUnderTest.run(try chat()) { app in
            let token = try await app.send(.post, "/api/auth/login", json: .signIn()).text("access_token")
            try await app.expect(200, .get, "/api/messages", token: token, identity: "user-alice")
            try await app.expect(401, .get, "/api/messages", token: token)
            try await app.expect(401, .get, "/api/messages", token: token, identity: "user-bob")
            let cookie = "ce_access_token=\(token)"
            try await app.expect(200, .get, "/api/messages", identity: "user-alice", cookie: cookie)
        }
    }

    @Test func secondUseOfARefreshTokenEndsTheSession() async throws {
        try await AppUnderTest.run(try chat()) { app in
            let first = try await app.send(.post, "/api/auth/login", json: .signIn())
            let used: JSONObject = ["refresh_token": .string(try first.text("refresh_token"))]
            let second = try await app.send(.post, "/api/auth/refresh", json: used)
            let access = try second.text("access_token")
            try await app.expect(200, .get, "/api/messages", token: access, identity: "user-alice")
            try await app.expect(401, .post, "/api/auth/refresh", json: used)
            try await app.expect(401, .get, "/api/messages", token: access, identity: "user-alice")
            let rotated: JSONObject = ["refresh_token": .string(try second.text("refresh_token"))]
            try await app.expect(401, .post, "/api/auth/refresh", json: rotated)
        }
    }

    @Test func logoutOfClansEndsItsSession() async throws {
        let key = try AppKey(.rs256, try SigningKey.generate(.rsa(bits: 2048)))
        try await AppUnderTest.run(ClansBackend(key: key, now: { noon })) { app in
            let pair = try await app.send(.post, "/api/v1/users/auth/login", json: .signIn())
            let access = try pair.text("access_token")
            let refresh: JSONObject = ["refresh_token": .string(try pair.text("refresh_token"))]
            try await app.expect(200, .get, "/api/v1/clans", token: access, identity: "user-alice")
            let logout = try await app.send(
                .post,
                "/api/v1/users/auth/logout",
                token: access,
                identity: "user-alice"
            )
            #expect(logout.status == 200)
            try await app.expect(401, .get, "/api/v1/clans", token: access, identity: "user-alice")
            try await app.expect(401, .post, "/api/v1/users/auth/refresh", json: refresh)
        }
    }
}
