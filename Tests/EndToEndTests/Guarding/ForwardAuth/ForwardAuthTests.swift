import Testing
import Verification

/// Decision queries of other proxies, in the form of nginx, Caddy, Traefik and Envoy.
@Suite struct ForwardAuthTests {
    static let trusting = GatewaySetup(
        gateway: "trusted_proxies: [127.0.0.1/32]",
        tenant: """
            access:
              - { path: /open/**, allow: anyone }
              - { path: /admin/**, methods: [POST], allow: { roles: [admin] } }
            """
    )

    /// The fields that describe a request.
    static func forwarded(_ target: String, method: String = "GET", host: String = "app.test") -> [String] {
        ["X-Forwarded-Method: \(method)", "X-Forwarded-Host: \(host)", "X-Forwarded-Uri: \(target)"]
    }

    private static let names = ["X-Verified-Subject", "X-Verified-Email", "X-Verified-Provider"]

    @Test func goodTokenIsGrantedWithIdentity() async throws {
        try await withGateway(Self.trusting) { fixture async throws in
            let token = try fixture.token(["email": "alice@app.test"])
            let response = try await fixture.request(
                "/.gatehouse/auth",
                host: "gatehouse.internal:8080",
                token: token,
                fields: Self.forwarded("/orders?x=1") + ["X-User-Id: mallory", "X-User-Role: admin"]
            )
            #expect(response.status == 200)
            #expect(response.fields["X-User-Id"] == ["alice"])
            #expect(response.fields["X-User-Email"] == ["alice@app.test"])
            #expect(response.fields["X-User-Role"] == [])
            #expect(response.fields["Cache-Control"] == ["no-store"])
            #expect(response.fields["Content-Length"] == ["0"])
            #expect(response.fields["X-Request-Id"].first?.isEmpty == false)
            let removed = (["X-User-Role"] + Self.names + ["X-Client-Certificate-Subject"]).joined(separator: ",")
            #expect(response.fields["X-Envoy-Auth-Headers-To-Remove"] == [removed])
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    @Test func refusalsFollowRulesOfQueriedTenant() async throws {
        try await withGateway(Self.trusting) { fixture async throws in
            let customer = try fixture.token(["role": "customer"])
            let expired = try fixture.token(["exp": TestIssuer.fromNow(-3600)])
            let cases: [([String], String?, Int, String)] = [
                (Self.forwarded("/orders"), nil, 401, "missing_token"),
                (Self.forwarded("/orders"), "x.y.z", 401, "invalid_token"),
                (Self.forwarded("/orders"), expired, 401, "token_expired"),
                (Self.forwarded("/admin/x", method: "POST"), customer, 403, "insufficient_role"),
                (Self.forwarded("/orders", host: "other.test"), customer, 404, "unknown_host"),
                (Self.forwarded("/.gatehouse/auth"), customer, 404, "unknown_host"),
                (Self.forwarded("/a%2fb"), customer, 400, "ambiguous_path"),
                (Self.forwarded("/admin/../open/x"), customer, 400, "ambiguous_path"),
                (Self.forwarded("//open/x"), customer, 400, "ambiguous_path"),
                (Self.forwarded("/orders", method: "TRACE"), customer, 405, "bad_request"),
                (Self.forwarded("/" + String(repeating: "x", count: 8200)), customer, 414, "bad_request"),
            ]
            for (fields, token, status, code) in cases {
                let response = try await fixture.request(
                    "/.gatehouse/auth",
                    host: "x.test",
                    token: token,
                    fields: fields
                )
                expectRefusal(response, status, code, "\(fields)")
                let challenge = response.fields["WWW-Authenticate"]
                #expect(challenge.count == (status == 401 || status == 403 ? 1 : 0))
                #expect(challenge.allSatisfy { $0.hasPrefix(#"Bearer realm="app""#) })
            }
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    @Test func envoyStyleCheckUsesRequestMethodAndHost() async throws {
        try await withGateway(Self.trusting) { fixture async throws in
            let customer = try fixture.token(["role": "customer"])
            for (method, path, status) in [
                ("GET", "/admin/x", 200), ("POST", "/admin/x", 403), ("DELETE", "/orders", 200), ("GET", "/", 200),
                ("OPTIONS", "/open/x", 200), ("PROPFIND", "/open/x?y", 200),
            ] {
                let target = "/.gatehouse/auth" + path
                let response = try await fixture.request(target, method: method, token: customer)
                #expect(response.status == status, "\(method) \(path)")
            }
            let elsewhere = try await fixture.request("/.gatehouse/auth/open/x", host: "other.test")
            expectRefusal(elsewhere, 404, "unknown_host")
            // The fields of the other form are ignored.
            let misled = try await fixture.request("/.gatehouse/auth/orders", fields: Self.forwarded("/open/x"))
            expectRefusal(misled, 401, "missing_token")
        }
    }

    @Test func tokenIsTakenFromForwardedURIOnly() async throws {
        var setup = Self.trusting
        setup.tenant += "\nauthenticate:\n  from: [\"query:t\", bearer]\n" + Self.issuer
        try await withGateway(setup) { fixture async throws in
            let token = try fixture.token()
            let asked = try await fixture.request("/.gatehouse/auth", fields: Self.forwarded("/orders?t=\(token)"))
            #expect(asked.status == 200)
            let own = try await fixture.request("/.gatehouse/auth?t=\(token)", fields: Self.forwarded("/orders"))
            expectRefusal(own, 401, "missing_token")
            expectRefusal(try await fixture.request("/.gatehouse/auth/orders?t=\(token)"), 401, "missing_token")
        }
    }

    private static let issuer =
        #"  issuers: [ { issuer: "https://secret.test", audiences: [app], algorithms: [HS256], secret: "${TEST_SECRET}" } ]"#

    @Test func decisionQueryIsCountedForItsTenant() async throws {
        try await withGateway(Self.trusting) { fixture async throws in
            let client = ["X-Forwarded-For: 203.0.113.9", "X-Request-Id: 0b8f8c2e-7a51-4d0c-9c58-0d4a1f1f4c11"]
            let fields = Self.forwarded("/orders/7?x=1", method: "DELETE") + client
            let token = try fixture.token()
            let response = try await fixture.request("/.gatehouse/auth", host: "x.test", token: token, fields: fields)
            #expect(response.fields["X-Request-Id"] == ["0b8f8c2e-7a51-4d0c-9c58-0d4a1f1f4c11"])
            let line = try await fixture.accessLog.next()
            #expect(line["tenant"] == "app")
            #expect(line["method"] == "DELETE")
            #expect(line["path"] == "/orders/7")
            #expect(line["status"]?.double == 200)
            #expect(line["outcome"] == "granted")
            #expect(line["subject"] == "alice")
            #expect(line["remote"] == "203.0.113.9")
            #expect(line["request_id"] == "0b8f8c2e-7a51-4d0c-9c58-0d4a1f1f4c11")
            _ = try await fixture.request("/.gatehouse/auth", host: "x.test", fields: fields)
            #expect(try await fixture.accessLog.next()["outcome"] == "missing_token")
            let counts = ["tenant": "app", "method": "DELETE"]
            let metrics = try await fixture.metrics { $0.value("gatehouse_requests_total", counts) == 2 }
            #expect(metrics.value("gatehouse_auth_decisions_total", ["tenant": "app", "outcome": "granted"]) == 1)
        }
    }

    @Test func observeModeGrantsWithoutUnverifiedIdentity() async throws {
        var setup = Self.trusting
        setup.tenant += "\nmode: observe"
        try await withGateway(setup) { fixture async throws in
            let stranger = try fixture.token(["sub": "mallory"], algorithm: .rs256, key: fixture.issuer.stranger)
            for (target, outcome) in [("/orders", "invalid_token"), ("/admin/../open/x", "ambiguous_path")] {
                let fields = Self.forwarded(target)
                let response = try await fixture.request("/.gatehouse/auth", token: stranger, fields: fields)
                #expect(response.status == 200, "\(target)")
                #expect(response.fields["X-User-Id"] == [])
                #expect(try await fixture.accessLog.next()["outcome"]?.string == outcome)
            }
        }
    }

    @Test func gatewayEndpointsAreReportedForRouting() async throws {
        try await withApps(.customer, .games, gateway: "trusted_proxies: [127.0.0.1/32]") { fixture, _ async throws in
            for (host, path) in [
                ("customer.localtest", "/api/auth/apple"), ("games.localtest", "/id/oauth2/token"),
                ("games.localtest", "/auth/apple"),
            ] {
                let fields = Self.forwarded(path, method: "POST", host: host)
                let response = try await fixture.request("/.gatehouse/auth", host: "x.test", fields: fields)
                expectRefusal(response, 404, "unknown_host", path)
                #expect(Problem(response)?.detail.contains("route it to the gateway") == true)
            }
            #expect(fixture.backend.requests.isEmpty)
        }
    }
}
