import HTTPTypes
import Synchronization
import Testing
import Time
import Verification

@testable import Demo

struct UmuveBackendTests {
    private static let secret = Array("a secret of the tests, long enough for HS256".utf8)

    private func backend(now: @escaping @Sendable () -> UnixTime = { noon }) throws -> UmuveBackend {
        UmuveBackend(key: try AppKey(secret: Self.secret), now: now)
    }

    @Test func signInTokenIsAcceptedByResource() async throws {
        try await AppUnderTest.run(try backend()) { app in
            let signIn = try await app.send(.post, "/api/auth/login", json: .signIn())
            let jobs = try await app.send(.get, "/api/jobs", token: try signIn.text("token"), identity: "user-alice")
            #expect(jobs.status == 200)
            #expect(jobs.json["subject"] == "user-alice")
            #expect(jobs.json["identity"]?.object?["X-User-Id"] == "user-alice")
        }
    }

    @Test func roleDecidesAudienceOfToken() async throws {
        try await AppUnderTest.run(try backend()) { app in
            for (role, audience) in [(nil, "umuve-customer"), ("driver", "umuve-driver"), ("admin", "umuve-customer")] {
                let token = try await app.send(.post, "/api/auth/login", json: .signIn(role: role)).text("token")
                let claims = try UnverifiedToken(Array(token.utf8)).claims()
                #expect(claims["aud"] == .string(audience))
                #expect(claims["role"] == .string(role == "driver" ? "driver" : "customer"))
            }
        }
    }

    @Test(arguments: [JSONObject.signIn(password: "guess"), JSONObject(), ["email": "no address", "password": "demo"]])
    func signInWithoutAddressAndPasswordIsRefused(_ body: JSONObject) async throws {
        try await AppUnderTest.run(try backend()) { app in
            try await app.expect(401, .post, "/api/auth/login", json: body)
        }
    }

    @Test func refreshEndsOldToken() async throws {
        try await AppUnderTest.run(try backend()) { app in
            let old = try await app.send(.post, "/api/auth/login", json: .signIn(role: "driver")).text("token")
            let new = try await app.send(.post, "/api/auth/refresh", token: old).text("token")
            try await app.expect(200, .get, "/api/jobs", token: new)
            try await app.expect(401, .get, "/api/jobs", token: old)
            try await app.expect(401, .post, "/api/auth/refresh", token: old)
            let claims = try UnverifiedToken(Array(new.utf8)).claims()
            #expect(claims["aud"] == "umuve-driver")
        }
    }

    @Test func expiredTokenIsRefreshableForOneWeek() async throws {
        let clock = Mutex(noon)
        let week: Double = 7 * 86_400
        let backend = try backend { clock.withLock { $0 } }
        let token = try backend.token(for: SampleUser(email: "a@b", role: "customer"), UmuveBackend.customerAudience)
        try await AppUnderTest.run(backend) { app in
            clock.withLock { $0 = noon + 2 * week + 1 }
            try await app.expect(401, .post, "/api/auth/refresh", token: token)
            clock.withLock { $0 = noon + 2 * week - 1 }
            try await app.expect(401, .get, "/api/jobs", token: token)
            try await app.expect(200, .post, "/api/auth/refresh", token: token)
        }
    }

    @Test func staleTokenIsRefusedByResourcesAndStillRefreshes() async throws {
        try await AppUnderTest.run(try backend()) { app in
            let token = try await app.send(.post, "/api/auth/login", json: .signIn()).text("token")
            try await app.expect(200, .post, "/sample/stale", token: token)
            try await app.expect(401, .get, "/api/jobs", token: token)
            try await app.expect(200, .post, "/sample/stale", token: token)
            try await app.expect(200, .post, "/api/auth/refresh", token: token)
            try await app.expect(401, .post, "/sample/stale", token: token)
        }
    }

    @Test func resourceEchoesRequest() async throws {
        try await AppUnderTest.run(try backend()) { app in
            let token = try await app.send(.post, "/api/auth/login", json: .signIn()).text("token")
            let sent: JSONObject = ["move": "a piano"]
            let response = try await app.send(.post, "/api/jobs", token: token, json: sent)
            #expect(response.status == 200)
            #expect(response.json["received"] == .object(sent))
            #expect(response.json["subject"] == "user-alice")
            try await app.expect(401, .post, "/api/jobs", json: sent)
        }
    }

    @Test func logoutEndsToken() async throws {
        try await AppUnderTest.run(try backend()) { app in
            let token = try await app.send(.post, "/api/auth/login", json: .signIn()).text("token")
            try await app.expect(200, .post, "/api/auth/logout", token: token)
            try await app.expect(401, .get, "/api/me", token: token)
            try await app.expect(401, .post, "/api/auth/refresh", token: token)
        }
    }

    @Test func identityHeaderOfAnotherSubjectIsRefused() async throws {
        try await AppUnderTest.run(try backend()) { app in
            let token = try await app.send(.post, "/api/auth/login", json: .signIn()).text("token")
            try await app.expect(401, .get, "/api/jobs", token: token, identity: "user-mallory")
        }
    }

    @Test func failsOnDemandWithAnyErrorStatus() async throws {
        try await AppUnderTest.run(try backend()) { app in
            try await app.expect(401, .get, "/health?fail=401")
            try await app.expect(503, .get, "/health?fail=503")
            try await app.expect(200, .get, "/health?fail=200")
            try await app.expect(200, .get, "/health?fail=999")
        }
    }

    private static let verified = [
        "X-Verified-Subject": "001234.alice.0123", "X-Verified-Email": "alice@shop.example",
        "X-Verified-Provider": "apple", "X-Forwarded-Host": "customer.localtest:8080",
    ]

    @Test func verifiedFieldsSignIn() async throws {
        try await AppUnderTest.run(try backend()) { app in
            let signIn = try await app.send(.post, "/api/auth/apple", fields: Self.verified)
            let again = try await app.send(.post, "/api/auth/apple", fields: Self.verified)
            for response in [signIn, again] {
                #expect(response.status == 200)
                let claims = try UnverifiedToken(Array(try response.text("token").utf8)).claims()
                #expect(claims["sub"] == "001234.alice.0123")
                #expect(claims["email"] == "alice@shop.example")
                #expect(claims["aud"] == "umuve-customer")
            }
            let refreshed = try await app.send(.post, "/api/auth/refresh", token: try again.text("token"))
            let claims = try UnverifiedToken(Array(try refreshed.text("token").utf8)).claims()
            #expect(claims["sub"] == "001234.alice.0123")
        }
    }

    @Test func bodyAloneDoesNotSignIn() async throws {
        try await AppUnderTest.run(try backend()) { app in
            let body: JSONObject = ["userIdentifier": "001234.alice.0123", "email": "alice@shop.example"]
            try await app.expect(401, .post, "/api/auth/apple", json: body)
        }
    }

    @Test func accountKeepsRoleOfFirstApp() async throws {
        try await AppUnderTest.run(try backend()) { app in
            var driver = Self.verified
            driver["X-Forwarded-Host"] = "driver.localtest"
            let first = try await app.send(.post, "/api/auth/apple", fields: driver)
            let claims = try UnverifiedToken(Array(try first.text("token").utf8)).claims()
            #expect(claims["aud"] == "umuve-driver")
            #expect(claims["role"] == "driver")
            let conflict = try await app.send(.post, "/api/auth/apple", fields: Self.verified)
            #expect(conflict.status == 409)
            #expect(conflict.json == ["error": "This account is registered as a driver"])
        }
    }
}
