import Demo
import Testing
import Verification

/// Two apps with one backend that issues its own tokens: the gateway verifies Apple's tokens.
@Suite struct CustomerAndDriverTests {
    private static let path = "/api/auth/apple"

    @Test func customerSignsInRetriesAndSignsOut() async throws {
        try await withApps(.customer) { fixture, standIn async throws in
            let app = fixture.app(.customer)
            let nonce = "a-raw-nonce-of-the-customers-app"
            let identity = fixture.keepSecret(try standIn.appleToken(.anna, for: "com.goumuve.app", nonce: nonce))
            let body: JSONObject = [
                "identity_token": .string(identity), "nonce": .string(nonce), "full_name": "Anna Example",
            ]
            var token = ""
            // The first request and three retries after lost responses.
            for turn in 0..<4 {
                let response = try await app.post(Self.path, json: body)
                #expect(response.status == 200, "turn \(turn)")
                token = fixture.keepSecret(try #require(response.json?["token"]?.string))
            }
            #expect(fixture.backend.requests.count == 4)
            for request in fixture.backend.requests {
                #expect(request.body.text == JSONWriter.text(of: .object(body)), "the body goes on untouched")
                #expect(request.fields["X-Verified-Subject"] == [ProviderUser.anna.subject])
                #expect(request.fields["X-Verified-Email"] == [ProviderUser.anna.email])
                #expect(request.fields["X-Verified-Provider"] == ["apple"])
            }

            let jobs = try await app.get("/api/jobs", token: token)
            #expect(jobs.status == 200)
            let seen = try #require(fixture.backend.requests.last)
            #expect(seen.fields["X-User-Id"] == ["user-000111.aa"])
            #expect(seen.fields["X-User-Role"] == ["customer"])
            #expect(seen.fields["X-Verified-Subject"] == [], "only of who signs in")
            expectRefusal(try await app.get("/api/admin/jobs", token: token), 403, "insufficient_role")

            #expect(try await app.post("/api/auth/logout", json: [:], token: token).status == 200)
            expectRefusal(try await app.get("/api/jobs", token: token), 401, "token_revoked")
        }
    }

    @Test func roleOfOneAppIsRefusedAtTheOther() async throws {
        try await withApps(.customer, .driver) { fixture, standIn async throws in
            func signIn(_ user: ProviderUser, _ app: AppSetup, nonce: String) async throws -> RawResponse {
                let identity = try standIn.appleToken(user, for: "com.goumuve.pro", nonce: nonce)
                let body: JSONObject = [
                    "identity_token": .string(fixture.keepSecret(identity)), "nonce": .string(nonce),
                ]
                return try await fixture.app(app).post(Self.path, json: body)
            }
            let driver = try await signIn(.ben, .driver, nonce: "driver-1")
            #expect(driver.status == 200)
            let token = fixture.keepSecret(try #require(driver.json?["token"]?.string))
            #expect(try await fixture.app(.driver).get("/api/rides", token: token).status == 200)
            #expect(try await signIn(.anna, .customer, nonce: "customer-1").status == 200)
            let calls = fixture.backend.requests.count

            let noCustomer = try await signIn(.ben, .customer, nonce: "driver-2")
            #expect(noCustomer.status == 409)
            #expect(noCustomer.json == ["error": "This account is registered as a driver"])
            let noDriver = try await signIn(.anna, .driver, nonce: "customer-2")
            #expect(noDriver.status == 409)
            #expect(noDriver.json == ["error": "This account is registered as a customer"])
            // A token of one app is refused at the other, though they share secret and issuer.
            expectRefusal(try await fixture.app(.customer).get("/api/jobs", token: token), 401, "invalid_token")
            #expect(fixture.backend.requests.count == calls, "none of these reaches the backend")
            // Each is accepted in its own app.
            #expect(try await signIn(.ben, .driver, nonce: "driver-3").status == 200)
        }
    }

    /// Only a sign-in accepted by the backend creates an account: a refused person may still become a driver.
    @Test func signInRefusedByBackendCreatesNoAccount() async throws {
        let script = BackendScript { exchange in
            let host = exchange.head.fields["X-Forwarded-Host"].first ?? ""
            guard host.hasPrefix("customer") else { return try await AppBackend.script.run(exchange) }
            try await exchange.body()
            try await exchange.send("HTTP/1.1 422 X\r\nContent-Length: 0\r\n\r\n")
        }
        try await withApps(.customer, .driver, backend: script) { fixture, standIn async throws in
            for (app, status) in [(AppSetup.customer, 422), (.driver, 200)] {
                let identity = try standIn.appleToken(.ben, for: "com.goumuve.pro", nonce: app.rawValue)
                let response = try await fixture.app(app).post(
                    Self.path,
                    json: ["identity_token": .string(identity), "nonce": .string(app.rawValue)]
                )
                #expect(response.status == status)
            }
        }
    }
}
