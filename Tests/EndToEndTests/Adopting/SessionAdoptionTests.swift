import TestSupport
import Testing
import Verification

/// Tokens of a former issuer bring sessions of the tenant's own (`refresh.adopt`).
@Suite struct SessionAdoptionTests {
    @Test func formerTokenBringsSessionOnce() async throws {
        try await withGateway(.adopting()) { fixture async throws in
            let old = try fixture.formerToken(["sid": "old-session", "role": "customer", "auth_time": 1_700_000_000])
            let response = try await fixture.request("/x", token: old)
            #expect(response.status == 200 && response.body.text == "ok")
            #expect(response.fields["Cache-Control"] == ["no-store"])
            #expect(response.fields["Access-Control-Expose-Headers"] == ["X-Refreshed-Token"])
            // The backend got the request as ever.
            let forwarded = try #require(fixture.backend.requests.last)
            #expect(
                forwarded.fields["Authorization"] == ["Bearer \(old)"] && forwarded.fields["X-User-Id"] == ["alice"]
            )

            let new = try #require(fixture.adopted(response))
            let claims = try #require(GivenTokens.claims(new))
            #expect(claims["iss"] == "https://own.test" && claims["sub"] == "alice" && claims["role"] == "customer")
            #expect(claims["auth_time"] == 1_700_000_000)
            for token in [old, new, try fixture.formerToken(["sid": "old-session", "jti": "next"])] {
                let later = try await fixture.request("/x", token: token)
                #expect(later.status == 200 && fixture.adopted(later) == nil)
            }
        }
    }

    @Test func parallelRequestsBringOneSession() async throws {
        try await withGateway(.adopting(gateway: "threads: 2")) { fixture async throws in
            let old = try fixture.formerToken()
            let sessions = try await withThrowingTaskGroup(of: String?.self) { group in
                for _ in 0..<20 { group.addTask { fixture.adopted(try await fixture.request("/x", token: old)) } }
                return try await group.reduce(into: []) { $0 += $1.map { [$0] } ?? [] }
            }
            #expect(sessions.count == 1)
        }
    }

    @Test func cookiesAreReplaced() async throws {
        let setup = GatewaySetup.adopting(
            "from: \"cookie:refresh\"",
            from: "\"cookie:access\"",
            deliver: "cookies: { access: /access_token, refresh: /refresh_token }"
        )
        try await withGateway(setup) { fixture async throws in
            let old = try fixture.formerToken()
            let response = try await fixture.request("/x", fields: ["Cookie: access=\(old)"])
            let cookies = response.fields["Set-Cookie"]
            #expect(cookies.map { String($0.prefix { $0 != "=" }) } == ["access", "refresh"])
            #expect(cookies.allSatisfy { $0.contains("HttpOnly") && $0.contains("Max-Age=") })
            let pairs = cookies.compactMap { $0.split(separator: ";").first.map(String.init) }
            let field = "Cookie: " + pairs.joined(separator: "; ")
            let later = try await fixture.request("/x", fields: [field])
            #expect(later.status == 200 && later.fields["Set-Cookie"].isEmpty, "\(later.body.text) to \(field)")
            #expect(fixture.backend.requests.last?.fields["X-User-Id"] == ["alice"])
        }
    }

    /// A client that sends a bearer token may keep no cookies, or keep those of several people in one place.
    @Test func bearerClientGetsNoCookieThatItDidNotSend() async throws {
        let setup = GatewaySetup.adopting(
            "from: \"cookie:refresh\"",
            from: "bearer, \"cookie:access\"",
            deliver: "header: X-Refreshed-Token, cookies: { access: /access_token, refresh: /refresh_token }"
        )
        try await withGateway(setup) { fixture async throws in
            let alone = try await fixture.request("/x", token: fixture.formerToken(["sid": "app"]))
            #expect(alone.status == 200 && fixture.adopted(alone) != nil && alone.fields["Set-Cookie"] == [])
            // A page that keeps its access token itself and its refresh token in a cookie.
            let page = try await fixture.request(
                "/x",
                token: fixture.formerToken(["sid": "page"]),
                fields: ["Cookie: refresh=former"]
            )
            #expect(page.status == 200 && fixture.adopted(page) != nil)
            #expect(page.fields["Set-Cookie"].map { String($0.prefix { $0 != "=" }) } == ["refresh"])
        }
    }

    /// A backend that refuses one token, so that it is refreshed.
    private static func refusing(_ refused: Awaited<String?>) -> BackendScript {
        BackendScript { exchange in
            try await exchange.body()
            let token = exchange.head.fields["Authorization"].first
            if let token, token == refused.value {
                try await exchange.send("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n")
            } else {
                try await exchange.sendOK()
            }
        }
    }

    @Test func sessionIsRefreshedByItsOwnIssuer() async throws {
        let refused = Awaited<String?>(nil)
        try await withGateway(.adopting(), backend: Self.refusing(refused)) { fixture async throws in
            let first = try #require(fixture.adopted(try await fixture.request("/x", token: fixture.formerToken())))
            refused.update { $0 = "Bearer \(first)" }
            let response = try await fixture.request("/x", token: first)
            let second = try #require(fixture.adopted(response))
            #expect(response.status == 200)
            #expect(GivenTokens.claims(second)?["sid"] == GivenTokens.claims(first)?["sid"])
        }
    }

    /// As with a sign-out in one tab while another gets the new session.
    @Test func endOfFormerSessionEndsTheNewOneAtItsRefresh() async throws {
        let refused = Awaited<String?>(nil)
        let setup = GatewaySetup.adopting(tenant: "revoke_on: [\"POST /logout\"]")
        try await withGateway(setup, backend: Self.refusing(refused)) { fixture async throws in
            let old = try fixture.formerToken()
            let new = try #require(fixture.adopted(try await fixture.request("/x", token: old)))
            #expect(try await fixture.request("/logout", method: "POST", token: old).status == 200)
            refused.update { $0 = "Bearer \(new)" }
            let response = try await fixture.request("/x", token: new)
            #expect(response.status == 401 && fixture.adopted(response) == nil)
        }
    }

    // MARK: Who gets none

    @Test func otherIssuersAndTenantsAreLeftAlone() async throws {
        try await withGateway(.adopting()) { fixture async throws in
            let other = try await fixture.request("/x", token: fixture.token(["sid": "s"]))
            #expect(other.status == 200 && fixture.adopted(other) == nil)
            let elsewhere = try await fixture.request("/x", host: "other.test", token: fixture.formerToken())
            #expect(elsewhere.status == 200 && fixture.adopted(elsewhere) == nil)
        }
    }

    @Test func machinesAndDelegatesGetNoSession() async throws {
        try await withGateway(.adopting()) { fixture async throws in
            for claims: JSONObject in [
                ["client_id": "alice"], ["act": ["sub": "service"]], ["gty": "client-credentials"],
            ] {
                let response = try await fixture.request("/x", token: fixture.formerToken(claims))
                #expect(response.status == 200 && fixture.adopted(response) == nil)
            }
        }
    }

    @Test func openPathsAndTokensInAddressesBringNoSession() async throws {
        try await withGateway(.adopting(from: "bearer, \"query:t\"")) { fixture async throws in
            let old = try fixture.formerToken()
            for response in [
                try await fixture.request("/open/x", token: old), try await fixture.request("/x?t=\(old)"),
            ] {
                #expect(response.status == 200 && fixture.adopted(response) == nil)
            }
            #expect(fixture.adopted(try await fixture.request("/x", token: old)) != nil)
        }
    }

    @Test(arguments: [401, 500])
    func failedResponseLeavesAdoptionToNextOne(status: Int) async throws {
        let isGood = Switch(false)
        let script = BackendScript { exchange in
            try await exchange.body()
            if isGood.isOn { return try await exchange.sendOK() }
            try await exchange.send("HTTP/1.1 \(status) Other\r\nContent-Length: 0\r\n\r\n")
        }
        try await withGateway(.adopting(), backend: script) { fixture async throws in
            let old = try fixture.formerToken()
            let failed = try await fixture.request("/x", token: old)
            #expect(failed.status == status && fixture.adopted(failed) == nil)
            isGood.turn(on: true)
            let good = try await fixture.request("/x", token: old)
            #expect(good.status == 200 && fixture.adopted(good) != nil)
        }
    }

    @Test func revokedCallerGetsNeitherResponseNorSession() async throws {
        try await withGateway(.adopting()) { fixture async throws in
            let revoked = try await fixture.adminRequest(
                "POST",
                "/api/revocations",
                body: #"{"tenant":"app","subject":"alice"}"#
            )
            #expect(revoked.status == 200)
            let response = try await fixture.request("/x", token: fixture.formerToken())
            expectRefusal(response, 401, "token_revoked")
            #expect(fixture.adopted(response) == nil)
        }
    }

    @Test func formerTokenDoesNotUndoSignOut() async throws {
        let setup = GatewaySetup.adopting(tenant: "revoke_on: [\"POST /logout\"]")
        try await withGateway(setup) { fixture async throws in
            let old = try fixture.formerToken()
            let new = try #require(fixture.adopted(try await fixture.request("/x", token: old)))
            #expect(try await fixture.request("/logout", method: "POST", token: new).status == 200)
            expectRefusal(try await fixture.request("/x", token: new), 401, "token_revoked")
            let later = try await fixture.request("/x", token: old)
            #expect(later.status == 200 && fixture.adopted(later) == nil)
        }
    }

    @Test func observedTenantAdoptsNobody() async throws {
        try await withGateway(.adopting(tenant: "mode: observe")) { fixture async throws in
            let response = try await fixture.request("/x", token: fixture.formerToken())
            #expect(response.status == 200 && fixture.adopted(response) == nil)
        }
    }

    @Test func askingProxyGetsNoSession() async throws {
        try await withGateway(.adopting(gateway: "trusted_proxies: [127.0.0.1/32]")) { fixture async throws in
            let old = try fixture.formerToken()
            let fields = ["X-Forwarded-Host: app.test", "X-Forwarded-Uri: /x", "X-Forwarded-Method: GET"]
            let verdict = try await fixture.request(
                "/.gatehouse/auth",
                host: "gatehouse.internal",
                token: old,
                fields: fields
            )
            #expect(verdict.status == 200 && fixture.adopted(verdict) == nil)
            #expect(fixture.adopted(try await fixture.request("/x", token: old)) != nil)
        }
    }

    @Test func boundTokenStaysBound() async throws {
        try await withGateway(.adopting(tenant: "dpop: { need: optional }")) { fixture async throws in
            let client = try ProvingClient()
            let old = try fixture.formerToken(["sid": "s", "cnf": client.confirmation])
            let response = try await fixture.request("/x", fields: try client.fields(old, "http://app.test/x"))
            #expect(response.status == 200)
            let new = try #require(fixture.adopted(response))
            #expect(GivenTokens.claims(new)?["cnf"] == client.confirmation)
            #expect(try await fixture.request("/x", token: new).status == 401)
            let proven = try await fixture.request("/x", fields: try client.fields(new, "http://app.test/x"))
            #expect(proven.status == 200)
        }
    }

    // MARK: What operators see

    @Test func adoptionIsCountedAndLogged() async throws {
        try await withGateway(.adopting()) { fixture async throws in
            let old = try fixture.formerToken()
            _ = try await fixture.request("/x", token: old)
            let line = try await fixture.accessLog.next()
            #expect(line["refreshed"] == true && line["refresh"] == "adopted")
            let labels = ["tenant": "app", "issuer": "https://id.test", "outcome": "adopted"]
            let metrics = try await fixture.metrics()
            #expect(metrics.value("gatehouse_adopted_sessions_total", labels) == 1)
            #expect(metrics.types["gatehouse_adopted_sessions_total"] == "counter")
            #expect(fixture.log.text.contains("a session of a former issuer is adopted"))
        }
    }

    @Test func explanationSaysThatTokenIsExchanged() async throws {
        try await withGateway(.adopting()) { fixture async throws in
            let explained = try await fixture.explained([
                "tenant": "app", "method": "GET", "path": "/x", "token": .string(try fixture.formerToken()),
            ])
            let text = "gets a session of https://own.test with the response, in the field X-Refreshed-Token"
            #expect(explained.steps.contains { $0.contains(text) }, "\(explained.steps)")
            // It was not tried.
            #expect(fixture.adopted(try await fixture.request("/x", token: fixture.formerToken())) != nil)
        }
    }
}
