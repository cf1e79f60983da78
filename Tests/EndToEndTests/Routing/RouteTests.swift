import TestSupport
import Testing
import Verification

/// A tenant's routes, with real servers behind them.
@Suite struct RouteTests {
    private static func setup(_ routes: String, tenant: String = "") -> GatewaySetup {
        GatewaySetup(
            tenant: """
                backends: { other: { servers: ["{other}"] } }
                routes: [ \(routes) ]
                access: [ { path: /**, allow: anyone } ]
                \(tenant)
                """
        )
    }

    private static func logged(_ fixture: GatewayFixture) async throws -> (backend: JSONValue?, route: JSONValue?) {
        let line = try await fixture.accessLog.next()
        return (line["backend"], line["route"])
    }

    @Test func requestGoesToTheRoutesBackend() async throws {
        let setup = Self.setup("{ path: /api/**, methods: [GET], backend: other, rewrite: \"/v2/**\" }")
        try await withGateway(setup) { fixture async throws in
            #expect(try await fixture.request("/api/orders/7?a=b").status == 200)
            #expect(fixture.other.requests.map(\.target) == ["/v2/orders/7?a=b"])
            #expect(try await Self.logged(fixture) == ("other", "/api/**"))
            #expect(try await fixture.request("/api/orders/7", method: "POST").status == 200)
            #expect(fixture.backend.requests.map(\.target) == ["/api/orders/7"])
            #expect(try await Self.logged(fixture) == ("default", nil))
            let metrics = try await fixture.metrics()
            let name = "gatehouse_backend_requests_total"
            #expect(metrics.value(name, ["backend": "other", "outcome": "answered"]) == 1)
            #expect(metrics.value(name, ["backend": "default", "outcome": "answered"]) == 1)
        }
    }

    @Test func gatewayRedirects() async throws {
        let setup = Self.setup(
            "{ path: /old/**, redirect: { to: \"/new/**\" } }, { path: /root/**, redirect: { to: \"/**\", status: 302 } },"
                + "{ path: /away/*, redirect: { to: \"https://www.example.com/x/*\", status: 301 } },"
                + "{ path: /other, backend: other }",
            tenant: "authenticate: { from: [bearer, \"query:token\"], issuers: [ { issuer: \"https://secret.test\", "
                + "audiences: [app], algorithms: [HS256], secret: \"${TEST_SECRET}\" } ] }"
        )
        try await withGateway(setup) { fixture async throws in
            let client = try await fixture.connect()
            for (target, status, location) in [
                ("/old/a%20b?c=d&token=x", 308, "/new/a%20b?c=d&token=x"), ("/old", 308, "/new"),
                ("/root//evil.example/x", 302, "/evil.example/x"),
                ("/away/7?token=secret&a=b", 301, "https://www.example.com/x/7?a=b"),
            ] {
                let response = try await client.request(fixture.head(target))
                #expect(response.status == status)
                #expect(response.fields["Location"] == [location])
                #expect(response.body.bytes.isEmpty)
            }
            // A body is read and dropped, and the connection stays.
            try await client.send(fixture.head("/old/x", method: "POST", fields: ["Content-Length: 5"]) + "hello")
            #expect(try await client.response(to: "POST").status == 308)
            #expect(try await client.request(fixture.head("/x")).status == 200)
            #expect(fixture.backend.requests.map(\.target) == ["/x"])
        }
    }

    @Test func gatewayRespondsByItself() async throws {
        let setup = Self.setup(
            "{ path: /robots.txt, respond: { body: \"User-agent: *\\nDisallow: /\\n\", content_type: text/plain } },"
                + "{ path: /gone, respond: { status: 410 } }, { path: /other, backend: other }",
            tenant: "headers: { response: { set: { X-Shape: round } } }"
        )
        try await withGateway(setup) { fixture async throws in
            let robots = try await fixture.request("/robots.txt")
            #expect(robots.status == 200 && robots.body.bytes.text == "User-agent: *\nDisallow: /\n")
            #expect(robots.fields["Content-Type"] == ["text/plain"])
            #expect(robots.fields["X-Shape"] == ["round"])
            #expect(try await fixture.request("/gone").status == 410)
            let head = try await fixture.request("/robots.txt", method: "HEAD")
            #expect(head.status == 200 && head.body.bytes.isEmpty && head.fields["Content-Length"] == ["26"])
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    /// A route says where a request goes; who may send it, the access rules.
    @Test func accessRulesHoldForAnswersOfTheGateway() async throws {
        let setup = GatewaySetup(
            tenant: """
                backends: { other: { servers: ["{other}"] } }
                routes: [ { path: /old/**, redirect: { to: "/new/**" } }, { path: /o, backend: other } ]
                """
        )
        try await withGateway(setup) { fixture async throws in
            expectRefusal(try await fixture.request("/old/x"), 401, "missing_token")
            let token = try fixture.token(["iss": "https://secret.test"])
            let response = try await fixture.request("/old/x", token: token)
            #expect(response.status == 308)
            #expect(response.fields["Cache-Control"] == ["no-store"])
        }
    }

    @Test func pathWithoutARouteIs404WithoutADefaultBackend() async throws {
        let setup = GatewaySetup(
            others: """
                second:
                  hosts: [second.test]
                  backends: { web: { servers: ["{backend}"] } }
                  routes: [ { path: /open/**, backend: web } ]
                  authenticate:
                    issuers: [ { issuer: "https://secret.test", audiences: [app], algorithms: [HS256], secret: "${TEST_SECRET}" } ]
                  access: [ { path: /open/**, allow: anyone } ]
                """
        )
        try await withGateway(setup) { fixture async throws in
            #expect(try await fixture.request("/open/x", host: "second.test").status == 200)
            expectRefusal(try await fixture.request("/x", host: "second.test"), 404, "no_route")
        }
    }

    @Test func timeoutIsTheRoutes() async throws {
        let over = Gate("the test is over")
        let setup = Self.setup(
            "{ path: /slow, backend: default, timeouts: { response: 300ms } }, { path: /o, backend: other }"
        )
        try await withGateway(setup, backend: .ok(after: over, at: "/slow")) { fixture async throws in
            expectRefusal(try await fixture.request("/slow"), 504, "backend_timeout")
            over.open()
        }
    }

    /// Each backend has health of its own.
    @Test func unreachableBackendIsTheRoutesAlone() async throws {
        let setup = GatewaySetup(
            tenant: """
                backends: { down: { servers: ["{nobody}"] } }
                routes: [ { path: /down/**, backend: down } ]
                access: [ { path: /**, allow: anyone } ]
                """
        )
        try await withGateway(setup) { fixture async throws in
            expectRefusal(try await fixture.request("/down/x"), 503, "backend_unavailable")
            #expect(try await fixture.request("/x").status == 200)
        }
    }

    @Test func reloadMovesARoute() async throws {
        try await withGateway(Self.setup("{ path: /a, backend: other }")) { fixture async throws in
            let client = try await fixture.connect()
            #expect(try await client.request(fixture.head("/a")).status == 200)
            await fixture.change(Self.setup("{ path: /b, backend: other }"))
            #expect(try await client.request(fixture.head("/a")).status == 200)
            #expect(try await client.request(fixture.head("/b")).status == 200)
            #expect(fixture.other.requests.map(\.target) == ["/a", "/b"])
            #expect(fixture.backend.requests.map(\.target) == ["/a"])
        }
    }

    // MARK: Mirrors

    @Test func copyGoesToTheMirror() async throws {
        let setup = Self.setup("{ path: /**, backend: default, mirror: { backend: other } }")
        try await withGateway(setup) { fixture async throws in
            let client = try await fixture.connect()
            #expect(try await client.request(fixture.head("/a?b=c")).status == 200)
            let first = try await fixture.other.arrivals.next()
            #expect(first.target == "/a?b=c" && first.method == "GET")
            try await client.send(fixture.head("/p", method: "POST", fields: ["Content-Length: 5"]) + "hello")
            #expect(try await client.response(to: "POST").status == 200)
            let second = try await fixture.other.arrivals.next()
            #expect(second.method == "POST" && second.body.bytes.text == "hello")
            try await client.send(
                fixture.head("/c", method: "PUT", fields: ["Transfer-Encoding: chunked"])
                    + "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
            )
            #expect(try await client.response(to: "PUT").status == 200)
            let third = try await fixture.other.arrivals.next()
            #expect(third.method == "PUT" && third.body.bytes.text == "abcde")
            #expect(fixture.backend.requests.map(\.target) == ["/a?b=c", "/p", "/c"])
        }
    }

    /// The mirror is down, or the body too long to be kept: the request does not notice.
    @Test func requestIsServedWhateverBecomesOfItsCopy() async throws {
        let setup = GatewaySetup(
            tenant: """
                backends: { down: { servers: ["{nobody}"] } }
                routes: [ { path: /**, backend: default, mirror: { backend: down }, limits: { replay_bytes: 4 } } ]
                access: [ { path: /**, allow: anyone } ]
                """
        )
        try await withGateway(setup) { fixture async throws in
            let client = try await fixture.connect()
            #expect(try await client.request(fixture.head("/a")).status == 200)
            try await client.send(fixture.head("/p", method: "POST", fields: ["Content-Length: 5"]) + "hello")
            #expect(try await client.response(to: "POST").status == 200)
            try await client.send(
                fixture.head("/c", method: "PUT", fields: ["Transfer-Encoding: chunked"]) + "5\r\nabcde\r\n0\r\n\r\n"
            )
            #expect(try await client.response(to: "PUT").status == 200)
            #expect(try await fixture.metrics().value("gatehouse_mirror_dropped_total", ["tenant": "app"]) == 2)
        }
    }
}
