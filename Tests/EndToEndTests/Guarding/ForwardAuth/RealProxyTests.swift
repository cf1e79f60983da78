import Testing
import Verification

/// nginx, Caddy and Envoy with the configurations of docs/forward-auth.md, between a client and the app.
@Suite struct RealProxyTests {
    private static let setup = GatewaySetup(
        tenant: """
            access:
              - { path: /open/**, allow: anyone }
              - { path: /admin/**, allow: { roles: [admin] } }
              - { path: /posts, methods: [POST], allow: { roles: [customer] } }
              - { path: /posts, allow: { roles: [admin] } }
            """
    )
    private static let spoofed = [
        "X-User-Id: mallory", "x-user-email: mallory@app.test", "X-USER-ROLE: admin", "X-Verified-Subject: mallory",
        "X-Verified-Email: m@app.test", "X-Verified-Provider: apple", "X-Client-Certificate-Subject: CN=mallory",
    ]
    private static let believed = spoofed.map { String($0.prefix { $0 != ":" }) }

    @Test(arguments: RealProxy.Kind.allCases)
    func appGetsCallersIdentityOnly(_ kind: RealProxy.Kind) async throws {
        try await withProxy(kind, Self.setup) { route async throws in
            let alice = try route.fixture.token(["email": "alice@app.test"])
            let known = try await route.send("/orders?x=1&y=%20", token: alice, fields: Self.spoofed)
            #expect(known.status == 200)
            #expect(known.received?.target == "/orders?x=1&y=%20")
            #expect(known.identity(Self.believed) == ["X-User-Id": ["alice"], "x-user-email": ["alice@app.test"]])

            let nobody = try await route.send("/open/x", fields: Self.spoofed)
            #expect(nobody.status == 200)
            #expect(nobody.received != nil)
            #expect(nobody.identity(Self.believed) == [:])

            let bad = try await route.send("/open/x", token: "x.y.z", fields: Self.spoofed)
            #expect(bad.received != nil)
            #expect(bad.identity(Self.believed) == [:])
        }
    }

    /// Apps that read fields as environment variables treat `_` as `-`.
    @Test(arguments: RealProxy.Kind.allCases)
    func underscoreCopiesDoNotReachApp(_ kind: RealProxy.Kind) async throws {
        try await withProxy(kind, Self.setup) { route async throws in
            let fields = ["X_User_Id: mallory", "X-User_Role: admin", "x_verified-subject: mallory"]
            let outcome = try await route.send("/open/x", fields: fields)
            #expect(outcome.status == (kind == .envoy ? 400 : 200))
            let names = outcome.received?.fields.names ?? []
            #expect(!names.contains { $0.contains("_") })
        }
    }

    @Test(arguments: RealProxy.Kind.allCases)
    func refusalsReachClient(_ kind: RealProxy.Kind) async throws {
        try await withProxy(kind, Self.setup) { route async throws in
            let customer = try route.fixture.token(["role": "customer"])
            let cases: [(String, String, String?, Int, String)] = [
                ("/orders", "app.test", nil, 401, "missing_token"),
                ("/orders", "app.test", "x.y", 401, "invalid_token"),
                ("/admin/x", "app.test", customer, 403, "insufficient_role"),
                ("/orders", "other.test", customer, 404, "unknown_host"),
                ("/.gatehouse/auth/open/x", "app.test", customer, 404, "unknown_host"),
            ]
            for (target, host, token, status, code) in cases {
                let outcome = try await route.send(target, host: host, token: token)
                #expect(outcome.status == status, "\(target) \(code)")
                #expect(outcome.received == nil)
                #expect(outcome.code == (kind == .nginx ? nil : code))
                let challenge = outcome.response.fields["WWW-Authenticate"]
                if status == 401 { #expect(challenge.first?.hasPrefix(#"Bearer realm="app""#) == true) }
            }
            for target in ["/a%2fb", "/open/..%5cadmin"] {
                let outcome = try await route.send(target, token: customer)
                #expect(outcome.status == 400)
                #expect(outcome.received == nil)
            }
        }
    }

    /// No path is authorized as one and served as another.
    @Test(arguments: RealProxy.Kind.allCases)
    func dotSegmentsDoNotBypassRules(_ kind: RealProxy.Kind) async throws {
        try await withProxy(kind, Self.setup) { route async throws in
            let customer = try route.fixture.token(["role": "customer"])
            for target in ["/open/../admin/x", "/open/%2e%2e/admin/x", "/open/x/../../admin", "//admin/x"] {
                let outcome = try await route.send(target, token: customer)
                #expect([400, 403].contains(outcome.status), "\(target)")
                #expect(outcome.received == nil, "\(target)")
            }
            for target in ["/admin/../open/x", "/admin/./../open/x"] {
                let outcome = try await route.send(target)
                let path = outcome.received?.target
                #expect(path == nil || path == "/open/x", "\(target)")
            }
        }
    }

    @Test(arguments: RealProxy.Kind.allCases)
    func clientsForwardingFieldsAreIgnored(_ kind: RealProxy.Kind) async throws {
        try await withProxy(kind, Self.setup) { route async throws in
            let fields = [
                "X-Forwarded-Uri: /open/x", "X-Forwarded-Method: GET", "X-Forwarded-Host: app.test",
                "X-Forwarded-For: 198.51.100.1", "X-Forwarded-Proto: https", "X-Original-Uri: /open/x",
            ]
            let outcome = try await route.send("/orders", method: "DELETE", fields: fields)
            #expect(outcome.status == 401)
            #expect(outcome.received == nil)
            let line = try await route.fixture.accessLog.next()
            #expect(line["path"] == "/orders")
            #expect(line["method"] == "DELETE")
            #expect(line["remote"] != "198.51.100.1")
        }
    }

    @Test(arguments: RealProxy.Kind.allCases)
    func methodsAndBodiesArrive(_ kind: RealProxy.Kind) async throws {
        try await withProxy(kind, Self.setup, backend: .echo) { route async throws in
            let customer = try route.fixture.token(["role": "customer"])
            let body = String(repeating: "body ", count: 2000)
            let posted = try await route.send("/posts", method: "POST", token: customer, body: body)
            #expect(posted.status == 200)
            #expect(posted.response.body.text == body)
            #expect(posted.received?.method == "POST")
            let chunked = "6\r\nchunks\r\n0\r\n\r\n"
            let fields = ["Transfer-Encoding: chunked", "Connection: close"]
            let client = try await route.connect()
            try await client.send(
                route.fixture.head("/posts", method: "POST", token: customer, fields: fields) + chunked
            )
            #expect(try await client.response(to: "POST").body.text == "chunks")
            let read = try await route.send("/posts", token: customer)
            #expect(read.status == 403)
            #expect(try await route.send("/orders", method: "HEAD", token: customer).status == 200)
        }
    }

    /// A page of the app is same-origin, whatever port the app is reached by.
    @Test(arguments: RealProxy.Kind.allCases)
    func sameOriginPageMayPostWithCookie(_ kind: RealProxy.Kind) async throws {
        var setup = Self.setup
        setup.tenant += """

            authenticate: { from: ["cookie:session"], issuers: [ \(TestIssuer.entry) ] }
            """
        try await withProxy(kind, setup) { route async throws in
            let cookie = "Cookie: session=\(try route.fixture.token(["role": "customer"]))"
            let host = "app.test:\(route.proxy.address.port)"
            for (origin, status) in [("http://\(host)", 200), ("http://app.test", 403), ("http://evil.test", 403)] {
                let outcome = try await route.send(
                    "/posts",
                    method: "POST",
                    host: host,
                    fields: [cookie, "Origin: \(origin)", "Content-Length: 0"]
                )
                #expect(outcome.status == status, "\(origin)")
                #expect((outcome.received != nil) == (status == 200))
            }
        }
    }

    /// Without a response of the gateway everything is refused.
    @Test(arguments: RealProxy.Kind.allCases)
    func unreachableGatewayRefusesEverything(_ kind: RealProxy.Kind) async throws {
        try await withProxy(kind, Self.setup) { route async throws in
            #expect(try await route.send("/open/x").status == 200)
            await route.fixture.shutdown()
            for target in ["/open/x", "/orders"] {
                let outcome = try await route.send(target)
                #expect(outcome.status == (kind == .caddy ? 502 : 503))
                #expect(outcome.received == nil)
            }
        }
    }

    @Test(arguments: RealProxy.Kind.allCases)
    func rateLimitRefusalCarriesRetryAfter(_ kind: RealProxy.Kind) async throws {
        var setup = Self.setup
        setup.tenant += "\nrate_limits: [ { by: tenant, rate: 1/h, burst: 1 } ]"
        try await withProxy(kind, setup) { route async throws in
            #expect(try await route.send("/open/x").status == 200)
            let refused = try await route.send("/open/x")
            #expect(refused.status == 429)
            #expect(refused.received == nil)
            let seconds = try #require(refused.response.fields["Retry-After"].first.flatMap { Int($0) })
            #expect((1...3600).contains(seconds))
        }
    }

    // MARK: gRPC

    /// By gRPC the gateway can also change the cookies and the query of the forwarded request.
    @Test func tokenIsStrippedFromEverySourceByGRPC() async throws {
        let setup = GatewaySetup(
            tenant: """
                authenticate: { from: [bearer, "cookie:session", "query:access_token"], issuers: [ \(TestIssuer.entry) ] }
                identity: { headers: { X-User-Id: sub }, token: strip }
                """
        )
        try await withProxy(.envoyByGRPC, setup) { route async throws in
            let token = try route.fixture.token()
            let bearer = try #require(try await route.send("/seen", token: token).received)
            #expect(bearer.fields["Authorization"] == [])
            let cookies = try #require(
                try await route.send("/seen", fields: ["Cookie: a=1; session=\(token); b=2"]).received
            )
            #expect(cookies.fields["Cookie"] == ["a=1; b=2"])
            let alone = try #require(try await route.send("/seen", fields: ["Cookie: session=\(token)"]).received)
            #expect(alone.fields["Cookie"] == [])
            let query = try #require(try await route.send("/seen?a=1&access_token=\(token)&b=2").received)
            #expect(query.target == "/seen?a=1&b=2")
            #expect(query.fields["X-User-Id"] == ["alice"])
            let two = try await route.send("/seen", token: token, fields: ["Authorization: Bearer \(token)x"])
            // Envoy may have joined the two.
            #expect([400, 401].contains(two.status) && two.received == nil)
        }
    }

    @Test func untrustedEnvoyRefusesEverythingByGRPC() async throws {
        try await withProxy(.envoyByGRPC, Self.setup, trusting: "10.0.0.0/8") { route async throws in
            let outcome = try await route.send("/open/x", token: try route.fixture.token())
            #expect(outcome.status == 503 && outcome.received == nil)
        }
    }
}
