import Testing
import Verification

/// An app whose backend keeps its own token in an httpOnly cookie.
@Suite struct FinanceTests {
    @Test func browserLogsInAtBackendAndOut() async throws {
        try await withApps(.finance) { fixture, _ async throws in
            let browser = Browser(fixture.app(.finance))
            expectRefusal(try await browser.get("/me"), 401, "missing_token")

            let login = try await browser.app.post("/auth/login", json: ["email": "anna@example.com", "password": "x"])
            #expect(login.status == 200)
            let cookie = try #require(login.cookie("auth-token"))
            #expect(cookie.isGuarded, "as the backend has set it")
            let token = fixture.keepSecret(cookie.value)
            browser.plant("auth-token", token)
            #expect(fixture.backend.requests.count == 1)

            #expect(try await browser.get("/me").status == 200)
            #expect(fixture.backend.requests.last?.fields["Cookie"] == ["auth-token=\(token)"])
            // The same token as bearer.
            #expect(try await browser.app.get("/me", token: token).status == 200)
            let page = ["Origin: https://finance.example", "Sec-Fetch-Site: same-site"]
            #expect(try await browser.post("/api/accounts", fields: page).status == 200)
            #expect(try await browser.post("/auth/logout", fields: page).status == 200)
            expectRefusal(try await browser.get("/me"), 401, "token_revoked")
            expectRefusal(try await browser.app.get("/me", token: token), 401, "token_revoked")
        }
    }
}
