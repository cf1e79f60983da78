import Testing

/// `gateway.redirect_https`: the listener in plain text beside the one with TLS.
@Suite struct RedirectHTTPSTests {
    private static let setup = GatewaySetup.tls(
        gateway: "redirect_https: true",
        tenant: "headers: { security: standard }"
    )

    private static func plain(_ fixture: GatewayFixture) async throws -> RawClient {
        fixture.keep(RawClient(try await Wire.connect(to: fixture.addresses[1])))
    }

    @Test func plainRequestsAreRedirectedAndTheConnectionIsKept() async throws {
        try await withTLSGateway(Self.setup) { fixture async throws in
            let client = try await Self.plain(fixture)
            let first = try await client.request(fixture.head("/private?a=%20b"))
            #expect(first.status == 308 && first.body.bytes.isEmpty)
            #expect(first.fields["Location"] == ["https://app.test/private?a=%20b"])
            #expect(first.fields["Cache-Control"] == ["no-store"])
            // Browsers ignore it over plain http (RFC 6797 section 7.2).
            #expect(first.fields["Strict-Transport-Security"] == [])
            // A body is read and dropped.
            try await client.send(fixture.head("/open/x", method: "POST", fields: ["Content-Length: 5"]) + "hello")
            #expect(try await client.response(to: "POST").status == 308)
            #expect(try await client.request(fixture.head("/open/x", method: "HEAD"), method: "HEAD").status == 308)
            #expect(fixture.backend.requests.isEmpty)
            let line = try await fixture.accessLog.next()
            #expect(line["status"] == 308 && line["tenant"] == "app" && line["outcome"] == "anonymous")
            let metrics = try await fixture.metrics()
            #expect(metrics.value("gatehouse_requests_total", ["tenant": "app", "status": "308"]) == 3)
        }
    }

    @Test func requestOverTLSPassesWithHSTS() async throws {
        try await withTLSGateway(Self.setup) { fixture async throws in
            let response = try await fixture.connectTLS().request(fixture.head("/open/x"))
            #expect(response.status == 200 && response.fields["Strict-Transport-Security"].count == 1)
        }
    }

    @Test func unknownHostIsNotRedirected() async throws {
        try await withTLSGateway(Self.setup) { fixture async throws in
            let client = try await Self.plain(fixture)
            let response = try await client.request("GET / HTTP/1.1\r\nHost: evil.test\r\n\r\n")
            #expect(response.status == 404 && response.fields["Location"] == [])
        }
    }

    @Test func http2InPlainTextIsRedirected() async throws {
        try await withTLSGateway(Self.setup) { fixture async throws in
            let client = HTTP2Client(try await Self.plain(fixture))
            try await client.sendRaw(HTTP2Client.preface)
            try await client.send(.settings())
            guard case .settings = try await client.event(on: 0) else { throw Malformed("no SETTINGS first") }
            let response = try await client.request("/private?x", method: "POST", body: [1, 2, 3])
            #expect(response.status == 308 && response.fields["location"] == ["https://app.test/private?x"])
        }
    }
}
