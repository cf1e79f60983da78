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

    /// Its sign-in asks the gateway for the session, so what can be refreshed is the gateway's to refresh.
    @Test func sessionsThatTheGatewayBeginsAreNotRefreshedHere() async throws {
        let signing = try SigningKey.generate(.p256)
        let own = ChatBackend(key: try AppKey(.es256, signing), now: { noon })
        let access = try await own.issued.begin(for: ChatBackend.user("alice@chat.example")).access
        let chat = ChatBackend(key: try AppKey(.es256, signing), now: { noon }) { app, subject, claims in
            #expect(app == .chat)
            #expect(subject == "user-alice")
            #expect(claims == ["email": "alice@shop.example", "role": "member"])
            return (access, "gateway-refresh")
        }
        try await AppUnderTest.run(chat) { app in
            let signIn = try await app.send(.post, "/api/auth/login", json: .signIn())
            #expect(try signIn.text("access_token") == access)
            #expect(try signIn.text("refresh_token") == "gateway-refresh")
            #expect(signIn.cookies.contains { $0.hasPrefix("ce_refresh_token=") })
            try await app.expect(200, .get, "/api/messages", token: access, identity: "user-alice")
            let refresh: JSONObject = ["refresh_token": "gateway-refresh"]
            try await app.expect(404, .post, "/api/auth/refresh", json: refresh)
        }
    }

    @Test func clansSessionsOfTheGatewayAreNotRefreshedHereEither() async throws {
        let key = try AppKey(.rs256, try SigningKey.generate(.rsa(bits: 2048)))
        let clans = ClansBackend(key: key, now: { noon }) { _, subject, _ in ("access of \(subject)", "refresh") }
        try await AppUnderTest.run(clans) { app in
            let signIn = try await app.send(.post, "/api/v1/users/auth/login", json: .signIn())
            #expect(try signIn.text("access_token") == "access of user-alice")
            try await app.expect(404, .post, "/api/v1/users/auth/refresh", json: ["refresh_token": "refresh"])
        }
    }

    @Test func staleTokenIsRefusedAndItsSessionIsNot() async throws {
        let chat = try chat()
        let stale = try await chat.issued.begin(for: ChatBackend.user("alice@chat.example"))
        let next = try #require(try await chat.issued.renew(stale.refresh))
        try await AppUnderTest.run(chat) { app in
            let cookie = "ce_access_token=\(stale.access)"
            try await app.expect(200, .post, "/sample/stale", identity: "user-alice", cookie: cookie)
            try await app.expect(401, .get, "/api/messages", identity: "user-alice", cookie: cookie)
            try await app.expect(200, .get, "/api/messages", token: next.access, identity: "user-alice")
        }
    }

    @Test func nobodyCanMakeATokenStaleThatIsNotTheCallers() async throws {
        let chat = try chat()
        let pair = try await chat.issued.begin(for: ChatBackend.user("alice@chat.example"))
        try await AppUnderTest.run(chat) { app in
            try await app.expect(401, .post, "/sample/stale")
            try await app.expect(401, .post, "/sample/stale", token: pair.access, identity: "user-bob")
            try await app.expect(200, .get, "/api/messages", token: pair.access, identity: "user-alice")
        }
    }

    @Test func expiredPairIsOfTheSameSessionAndExpired() async throws {
        let chat = try chat()
        let pair = try await chat.issued.begin(for: ChatBackend.user("alice@chat.example"))
        let expired = try chat.issued.expired(pair, for: 3600)
        let before = try UnverifiedToken(Array(pair.access.utf8)).claims()
        let after = try UnverifiedToken(Array(expired.access.utf8)).claims()
        #expect(after["sid"] == before["sid"])
        #expect(before["sid"] != nil)
        #expect(after["sub"] == before["sub"])
        #expect(after["jti"] != before["jti"])
        #expect(after["exp"]?.double == noon - 3600)
        #expect(expired.refresh == pair.refresh)
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
