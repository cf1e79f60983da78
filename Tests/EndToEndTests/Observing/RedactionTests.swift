import Demo
import Foundation
import Testing
import Verification

/// No log, metric, trace or admin API response contains a token, a cookie's value or a secret: the program runs with
/// everything enabled, and all its output is searched.
@Suite struct RedactionTests {
    @Test func outputsContainNoSecret() async throws {
        try await withLoggedGateway { fixture async throws in
            try await useApps(fixture)
            try await useAdminListener(fixture)
            let written = try await fixture.everythingWritten()
            #expect(fixture.secrets.names.count >= 15, "too few secrets were used: \(fixture.secrets.names)")
            for (output, bytes) in written.sorted(by: { $0.key < $1.key }) {
                #expect(fixture.secrets.leaks(in: bytes) == [], "in \(output)")
            }
            // Each output was searched and is not empty.
            let expected: [(String, [String])] = [
                ("output", ["\"tenant\":\"chat\"", "\"outcome\":\"invalid_token\"", "\"refreshed\":true"]),
                ("output", ["\"level\":\"debug\"", "gatehouse.refresh", "token_revoked"]),
                ("traces", ["gatehouse.tenant", "customer", "decide", "/the-last-request"]),
                ("/metrics", ["gatehouse_requests_total{tenant=\"finance\"", "gatehouse_refresh_total"]),
                ("/api/sessions", ["\"session\""]), ("/api/revocations", ["\"reason\""]), ("/api/keys", ["\"keys\""]),
                ("/api/explain", ["\"decision\""]),
            ]
            for (output, texts) in expected {
                let text = String(decoding: try #require(written[output], "\(output)"), as: UTF8.self)
                for expected in texts { #expect(text.contains(expected), "\(output) lacks \(expected)") }
            }
        }
    }

    @Test func leakSearchFindsEveryEncoding() throws {
        let known = KnownSecrets()
        let token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9.c2lnbmF0dXJlLW9mLWFsaWNl"
        known.keep("token", token)
        known.keep("secret", "a \"secret\" with / and +")
        let leaking: [(String, String)] = [
            ("GET /x \(token)", "itself"), ("sub eyJzdWIiOiJhbGljZSJ9", "claims"),
            ("c2lnbmF0dXJlLW9mLWFsaWNl", "signature"), (#"{"a":"a \"secret\" with / and +"}"#, "in JSON"),
            ("?s=a%20%22secret%22%20with%20%2F%20and%20%2B", "percent-encoded"),
            (Data("a \"secret\" with / and +".utf8).base64EncodedString(), "base64"),
        ]
        for (text, form) in leaking { #expect(known.leaks(in: Array(text.utf8)).map(\.form).contains(form), "\(form)") }
        #expect(known.leaks(in: Array("eyJhbGciOiJIUzI1NiJ9 alice a secret".utf8)) == [])
    }

    // MARK: Apps

    private func useApps(_ fixture: LoggedGateway) async throws {
        try await useCustomer(fixture)
        try await useFinance(fixture)
        try await useChat(fixture)
        try await useClans(fixture)
        try await sendBadTokens(fixture)
    }

    private func useCustomer(_ fixture: LoggedGateway) async throws {
        for (app, client) in [(AppSetup.customer, "com.goumuve.app"), (.driver, "com.goumuve.pro")] {
            let nonce = fixture.secrets.keep("nonce", "a-raw-nonce-of-\(app)-that-nobody-else-knows")
            let user = app == .customer ? ProviderUser.anna : .ben
            let identity = fixture.secrets.keep(
                "identity token",
                try fixture.standIn.appleToken(user, for: client, nonce: nonce)
            )
            let body: JSONObject = ["identity_token": .string(identity), "nonce": .string(nonce)]
            let response = try await fixture.app(app).post("/api/auth/apple", json: body)
            let token = fixture.secrets.keep("access token", try #require(response.json?["token"]?.string))
            #expect(try await fixture.app(app).get("/api/jobs", token: token).status == 200)
            guard app == .customer else { continue }
            // The backend's 401 is refreshed and replayed.
            let renewed = try await fixture.app(app).get("/api/expired", token: token)
            #expect(renewed.status == 200)
            #expect(renewed.fields["X-Refreshed-Token"] == [LoggedGateway.renewedToken])
            #expect(try await fixture.app(app).post("/api/auth/logout", json: [:], token: token).status == 200)
            expectRefusal(try await fixture.app(app).get("/api/jobs", token: token), 401, "token_revoked")
        }
    }

    private func useFinance(_ fixture: LoggedGateway) async throws {
        let browser = Browser(fixture.app(.finance))
        let password = fixture.secrets.keep("password", "the-password-of-anna")
        let login = try await browser.app.post(
            "/auth/login",
            json: ["email": "anna@example.com", "password": .string(password)]
        )
        browser.plant("auth-token", fixture.secrets.keep("cookie", try #require(login.cookie("auth-token")).value))
        browser.plant("other", fixture.secrets.keep("other cookie", "what-another-cookie-holds"))
        #expect(
            try await browser.get("/me?token=\(fixture.secrets.keep("query", "a-secret-in-a-query"))").status == 200
        )
        let page = ["Origin: https://finance.example", "Sec-Fetch-Site: same-site"]
        #expect(try await browser.post("/auth/logout", fields: page).status == 200)
    }

    private func useChat(_ fixture: LoggedGateway) async throws {
        let app = fixture.app(.chat)
        let google = fixture.secrets.keep(
            "provider's token",
            try fixture.standIn.googleToken(.annaAtGoogle, for: "chat-web.apps.example")
        )
        let phone = try fixture.keep(
            GivenTokens(try await app.post("/api/auth/mobile/google", json: ["id_token": .string(google)]))
        )
        #expect(try await app.get("/api/messages", token: phone.access).status == 200)
        let subject = Form.encoded(try #require(phone.subject))
        try await fixture.requestAdmin("GET", "/api/sessions?tenant=chat&subject=\(subject)")
        let browser = Browser(app)
        _ = try await browser.webSignIn(.chat, at: fixture.standIn)
        for value in browser.cookies.values { fixture.secrets.keep("session cookie", value) }
        let page = ["Origin: https://chat.example", "Sec-Fetch-Site: same-site"]
        #expect(try await browser.post("/api/auth/refresh", fields: page).status == 200)
        for value in browser.cookies.values { fixture.secrets.keep("renewed cookie", value) }
        #expect(try await browser.get("/api/messages").status == 200)
    }

    private func useClans(_ fixture: LoggedGateway) async throws {
        let app = fixture.app(.clans)
        let signIn = ClientSignIn.clans
        fixture.secrets.keep("code verifier", signIn.verifier)
        let browser = Browser(app)
        let back = try await browser.bring(try await browser.begin(signIn, at: fixture.standIn))
        let parameters = Form.query(of: try #require(back.location))
        let code = fixture.secrets.keep("code", try #require(parameters["code"]))
        let tokens = try fixture.keep(GivenTokens(try await app.post(signIn.tokenPath, form: signIn.tokenForm(code))))
        #expect(try await app.get("/api/v1/boards", token: tokens.access).status == 200)
        let renewed = try fixture.keep(
            GivenTokens(try await app.post(signIn.tokenPath, form: signIn.refreshForm(tokens.refresh)))
        )
        #expect(try await app.get("/api/v1/boards", token: renewed.access).status == 200)
        let form = Form.text(["token": renewed.refresh, "client_id": signIn.clientID])
        #expect(try await app.post("/api/v1/users/oauth2/revoke", form: form).status == 200)
        // Reuse ends the session and is logged.
        #expect(try await app.post(signIn.tokenPath, form: signIn.refreshForm(tokens.refresh)).status == 400)
    }

    private func sendBadTokens(_ fixture: LoggedGateway) async throws {
        let issuer = try TestIssuer.shared()
        let forged =
            try issuer.token(["iss": "https://api.umuve.example", "aud": "umuve-customer"]).dropLast(8) + "AAAAAAAA"
        let app = fixture.app(.customer)
        for token in [
            String(forged),
            try issuer.token(["iss": "https://api.umuve.example", "exp": TestIssuer.fromNow(-900_000)]),
            try issuer.token(["iss": "https://nobody.example"]), "an-opaque-token-that-nobody-knows",
        ] {
            fixture.secrets.keep("bad token", token)
            #expect(try await app.get("/api/jobs", token: token).status == 401)
        }
        let twice = fixture.secrets.keep("second token", "a-second-token-beside-the-first")
        let response = try await app.get("/api/jobs", token: twice, fields: ["Authorization: Bearer \(forged)"])
        #expect(response.status == 400)
        let basic = fixture.secrets.keep("basic credentials", "dXNlcjphLXBhc3N3b3JkLW9mLXRoZWlycw==")
        #expect(try await app.get("/api/jobs", fields: ["Authorization: Basic \(basic)"]).status == 401)
    }

    // MARK: Operators

    private func useAdminListener(_ fixture: LoggedGateway) async throws {
        let wrong = fixture.secrets.keep("wrong admin token", "not-the-admin-token-but-one-like-it")
        #expect(try await fixture.adminClient.get("/metrics", token: wrong).status == 401)
        let token = fixture.secrets.keep(
            "revoked token",
            try TestIssuer.shared().token([
                "iss": "https://api.umuve.example", "aud": "umuve-customer", "sub": "mallory", "jti": "one-of-mallory",
                "role": "customer",
            ])
        )
        let question: JSONObject = [
            "tenant": "customer", "method": "GET", "path": "/api/jobs", "token": .string(token),
        ]
        try await fixture.requestAdmin("POST", "/api/explain", question)
        let selector: JSONObject = ["tenant": "customer", "token": .string(token), "reason": "lost"]
        try await fixture.requestAdmin("POST", "/api/revocations", selector)
        expectRefusal(try await fixture.app(.customer).get("/api/jobs", token: token), 401, "token_revoked")
        try await fixture.requestAdmin("GET", "/api/revocations?tenant=customer")
        try await fixture.requestAdmin("DELETE", "/api/revocations", ["tenant": "customer", "token": .string(token)])
        try await fixture.requestAdmin("GET", "/api/keys?tenant=chat")
        for path in ["/metrics", "/api/tenants", "/openapi.json", "/", "/readyz"] {
            try await fixture.requestAdmin("GET", path)
        }
        try await fixture.requestAdmin("POST", "/api/reload")
    }
}
