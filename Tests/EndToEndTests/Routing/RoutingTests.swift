import Testing
import Verification

/// Which tenant a request belongs to (host and path prefix).
@Suite struct RoutingTests {
    /// A second tenant, open to everyone, on the other backend.
    private static func second(hosts: String, more: String = "") -> String {
        """
        second:
          hosts: [\(hosts)]
          backend: { servers: ["{other}"] }
          authenticate: { from: [bearer], issuers: [ { issuer: "https://secret.test", audiences: [app], algorithms: [HS256], secret: "${TEST_SECRET}" } ] }
          access: [ { path: /**, allow: anyone } ]
        \(more)
        """
    }

    @Test func oneConnectionMayServeSeveralTenants() async throws {
        try await withGateway(GatewaySetup(others: Self.second(hosts: "second.test"))) { fixture async throws in
            let client = try await fixture.connect()
            for host in ["app.test", "second.test", "elsewhere.test", "app.test"] {
                let response = try await client.request(fixture.head("/open/a", host: host))
                #expect(response.status == (host == "elsewhere.test" ? 404 : 200))
            }
            #expect(fixture.backend.requests.count == 2)
            #expect(fixture.other.requests.count == 1)
        }
    }

    @Test func absoluteFormWinsOverHost() async throws {
        try await withGateway(GatewaySetup(others: Self.second(hosts: "second.test"))) { fixture async throws in
            let response = try await fixture.request("http://second.test/open/x?y=1", host: "app.test")
            #expect(response.status == 200)
            #expect(fixture.backend.requests.isEmpty)
            let seen = try await fixture.other.arrivals.next()
            #expect(seen.target == "/open/x?y=1")
            #expect(seen.fields["Host"] == ["second.test"])
        }
    }

    /// The gateway itself, a querying proxy, and `explain`.
    @Test(arguments: ["enforce", "observe"])
    func everyRouteResolvesSameTenant(mode: String) async throws {
        let setup = GatewaySetup(
            gateway: "trusted_proxies: [127.0.0.1/32]",
            tenant: "mode: \(mode)\naccess: [ { path: /**, allow: anyone } ]",
            others: Self.second(hosts: "app.test", more: "  path_prefix: /api/admin")
        )
        try await withGateway(setup) { fixture async throws in
            for path in [
                "/api//admin/x", "/api/admin;a/x", "/api;v=1/admin/x", "/api/./admin;x=1/x", "/api/admin%2fx",
                "/api%2fadmin/x", "/api/admin%5cx", "/api\\admin\\x", "/x/..%2fapi/admin/x", "/api/%2561dmin/x",
            ] {
                expectRefusal(try await fixture.request(path), 400, "ambiguous_path", path)
                let asked = try await fixture.request(
                    "/.gatehouse/auth",
                    host: "gatehouse.internal",
                    fields: ["X-Forwarded-Method: GET", "X-Forwarded-Host: app.test", "X-Forwarded-Uri: \(path)"]
                )
                expectRefusal(asked, 400, "ambiguous_path", path)
                let explained = try await fixture.explained([
                    "tenant": "app", "method": "GET", "path": .string(path), "headers": .object([:]),
                ])
                #expect(explained.decision == "refuse 400 ambiguous_path", "\(path)")
            }
            // The other proxy forwards the path unresolved.
            let climbing = [
                "X-Forwarded-Method: GET", "X-Forwarded-Host: app.test", "X-Forwarded-Uri: /x/../api/admin",
            ]
            let asked = try await fixture.request("/.gatehouse/auth", host: "gatehouse.internal", fields: climbing)
            expectRefusal(asked, 400, "ambiguous_path")
            #expect(fixture.backend.requests.isEmpty && fixture.other.requests.isEmpty)
        }
    }

    @Test func strippedPrefixIsNotForwarded() async throws {
        let setup = GatewaySetup(
            others: Self.second(hosts: "app.test", more: "  path_prefix: /shop\n  strip_prefix: true")
        )
        try await withGateway(setup) { fixture async throws in
            let expected = [
                "/shop/a?b=/shop": "/a?b=/shop", "/shop": "/", "/shop/": "/", "/shop?x=1": "/?x=1",
                "/shop/shop/a": "/shop/a", "/sh%6Fp/a%20b": "/a%20b", "/x/../shop/c": "/c",
            ]
            for (sent, forwarded) in expected {
                _ = try await fixture.request(sent)
                #expect(try await fixture.other.arrivals.next().target == forwarded, "\(sent)")
            }
        }
    }

    @Test func gatewayPathsNeverReachBackend() async throws {
        let setup = GatewaySetup(tenant: "access: [ { path: /**, allow: anyone } ]")
        try await withGateway(setup) { fixture async throws in
            let spellings = [
                "/.gatehouse/", "/.gatehouse/x", "/.gatehouse/x?y=1", "/%2egatehouse/x", "/.%67atehouse/x",
                "//.gatehouse/x", "/a/../.gatehouse/x", "/./.gatehouse/x", "/.gatehouse;a=b/x", "/.gatehouse//x",
                "http://app.test/.gatehouse/x",
            ]
            for spelling in spellings {
                let response = try await fixture.request(spelling, token: try fixture.token())
                #expect((400..<500).contains(response.status), "\(spelling)")
            }
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    @Test func typeOfRefusalLeadsToPageWithoutToken() async throws {
        try await withGateway(GatewaySetup()) { fixture async throws in
            let refused = try await fixture.request("/orders")
            let type = try #require(JSONParser.parse(refused.body.bytes).object?["type"]?.string)
            #expect(type == "/.gatehouse/problems/missing_token")
            let page = try await fixture.request(type)
            #expect(page.status == 200 && page.body.text.contains("Code: missing_token"))
            let other = try await fixture.request("/orders", host: "other.test")
            #expect(try JSONParser.parse(other.body.bytes).object?["type"]?.string == "about:blank", "no tenant has a page")
            #expect(try await fixture.request(type, method: "POST").status == 404)
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    @Test func gatewayPathsNeverReachBackendInObserveMode() async throws {
        try await withGateway(GatewaySetup(tenant: "mode: observe")) { fixture async throws in
            #expect(try await fixture.request("/.gatehouse/x").status == 404)
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    @Test func connectIsNeverForwarded() async throws {
        try await withGateway(GatewaySetup(tenant: "access: [ { path: /**, allow: anyone } ]")) {
            fixture async throws in
            for target in ["app.test:443", "/open/a"] {
                let response = try await fixture.request(target, method: "CONNECT")
                #expect([400, 404, 405, 501].contains(response.status), "\(target)")
            }
            #expect(fixture.backend.requests.isEmpty)
        }
    }
}
