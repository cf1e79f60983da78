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

    /// `AuthorizerTests` and `BackendRequestTests` have the other hosts and paths.
    @Test func oneConnectionMayServeSeveralTenants() async throws {
        let setup = GatewaySetup(
            others: Self.second(hosts: "second.test, app.test", more: "  path_prefix: /shop\n  strip_prefix: true")
        )
        try await withGateway(setup) { fixture async throws in
            let client = try await fixture.connect()
            let requests = [
                ("/open/a", "app.test", 200), ("/shop/b?c=/shop", "second.test", 200),
                ("/open/a", "elsewhere.test", 404),
                ("http://second.test/shop/x?y=1", "app.test", 200), ("/open/d", "app.test", 200),
            ]
            for (target, host, status) in requests {
                #expect(try await client.request(fixture.head(target, host: host)).status == status, "\(target)")
            }
            #expect(fixture.backend.requests.map(\.target) == ["/open/a", "/open/d"])
            #expect(fixture.other.requests.map(\.target) == ["/b?c=/shop", "/x?y=1"])
            #expect(fixture.other.requests.map { $0.fields["Host"] } == [["second.test"], ["second.test"]])
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

    @Test(arguments: ["enforce", "observe"])
    func gatewayPathsNeverReachBackend(mode: String) async throws {
        let setup = GatewaySetup(tenant: "mode: \(mode)\naccess: [ { path: /**, allow: anyone } ]")
        try await withGateway(setup) { fixture async throws in
            for spelling in ["/.gatehouse/x", "/a/../%2egatehouse;a=b/x?y=1", "http://app.test//.gatehouse/x"] {
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
            #expect(
                try JSONParser.parse(other.body.bytes).object?["type"]?.string == "about:blank",
                "no tenant has a page"
            )
            #expect(try await fixture.request(type, method: "POST").status == 404)
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
