import Testing
import Verification

/// Cross-site requests with cookies (CSRF).
@Suite struct CrossSiteTests {
    private static let setup = GatewaySetup(
        tenant: """
            authenticate: { from: [bearer, "cookie:session"], issuers: [ \(TestIssuer.entry) ] }
            csrf: { trusted_origins: ["https://front.test"] }
            """
    )

    @Test func crossSiteFormIsRefused() async throws {
        try await withGateway(Self.setup) { fixture async throws in
            let cookie = "Cookie: session=\(try fixture.token())"
            let client = try await fixture.http2()
            for origin in ["https://evil.test", "null", "https://app.test"] {
                let fields = [cookie, "Origin: \(origin)", "Content-Length: 0"]
                let response = try await fixture.request("/x", method: "POST", fields: fields)
                expectRefusal(response, 403, "cross_site_request")
                let pairs = [("cookie", String(cookie.dropFirst(8))), ("origin", origin)]
                expectRefusal(try await client.request("/x", method: "POST", fields: pairs), 403, "cross_site_request")
                expectRefusal(
                    try await fixture.request("/open/x", method: "POST", fields: fields),
                    403,
                    "cross_site_request"
                )
            }
            #expect(fixture.backend.requests.isEmpty)
            for origin in ["http://app.test", "https://front.test"] {
                let fields = [cookie, "Origin: \(origin)", "Content-Length: 0"]
                #expect(try await fixture.request("/x", method: "POST", fields: fields).status == 200)
                let pairs = [("cookie", String(cookie.dropFirst(8))), ("origin", origin)]
                #expect(try await client.request("/x", method: "POST", fields: pairs).status == 200)
            }
            #expect(fixture.backend.requests.count == 4)
            let bearer = try await fixture.request(
                "/x",
                method: "POST",
                token: try fixture.token(),
                fields: ["Origin: https://evil.test", "Content-Length: 0"]
            )
            #expect(bearer.status == 200)
        }
    }

    @Test func crossSiteWebSocketsAreRefused() async throws {
        let upstream = TunnelBackend()
        try await withGateway(Self.setup, backend: upstream.script) { fixture async throws in
            let cookie = "Cookie: session=\(try fixture.token())"
            for origin in ["https://evil.test", "null"] {
                let fields = Handshake.fields + [cookie, "Origin: \(origin)"]
                expectRefusal(try await fixture.request("/socket", fields: fields), 403, "cross_site_request")
            }
            let stream = try await fixture.http2()
            let pairs = [
                ("sec-websocket-version", "13"), ("cookie", String(cookie.dropFirst(8))),
                ("origin", "https://evil.test"),
            ]
            let connect = [
                (":method", "CONNECT"), (":scheme", "http"), (":authority", "app.test"), (":path", "/socket"),
                (":protocol", "websocket"),
            ]
            let id = await stream.newStream()
            try await stream.send(.headers(id, HeaderBlock(fields: connect + pairs), end: false))
            expectRefusal(try await stream.response(on: id), 403, "cross_site_request")
            #expect(fixture.backend.requests.isEmpty)
            let client = try await fixture.connect()
            let fields = Handshake.fields + [cookie, "Origin: https://front.test"]
            try await client.send(fixture.head("/socket", fields: fields))
            _ = try await TunnelClient(client)
        }
    }
}
