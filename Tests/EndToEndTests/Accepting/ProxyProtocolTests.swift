import Testing
import Verification

/// Source addresses from a trusted proxy by the PROXY protocol.
@Suite struct ProxyProtocolTests {
    private static let trusting = GatewaySetup(gateway: "trusted_proxies: [127.0.0.1/32]")

    /// Expects a request behind the header to be served as one from `source`.
    private func expectSource(_ source: String, _ fixture: GatewayFixture, behind header: [UInt8]) async throws {
        let client = try await fixture.connect()
        #expect(try await client.request(header + Array(fixture.head("/open/x").utf8)).status == 200)
        let seen = try await fixture.backend.arrivals.next()
        #expect(seen.fields["X-Forwarded-For"] == [source])
        #expect(try await fixture.accessLog.next()["remote"]?.string == source)
        // It applies to the whole connection.
        try await client.send(fixture.head("/open/x", fields: ["X-Forwarded-For: 198.51.100.7"]))
        #expect(try await client.response().status == 200)
        let next = try await fixture.backend.arrivals.next()
        #expect(next.fields["X-Forwarded-For"].first?.hasSuffix("127.0.0.1") == (source == "127.0.0.1"))
        #expect(next.fields["X-Forwarded-For"] == [source == "127.0.0.1" ? "198.51.100.7, 127.0.0.1" : source])
        _ = try await fixture.accessLog.next()
    }

    @Test(arguments: [
        (ProxyHeader.line4, "203.0.113.9"), (ProxyHeader.line6, "2001:db8::9"),
        (ProxyHeader.binary4, "203.0.113.9"), (ProxyHeader.binary6, "2001:db8::9"),
    ])
    func sourceAddressIsClient(header: [UInt8], source: String) async throws {
        try await withGateway(Self.trusting) { fixture async throws in
            try await expectSource(source, fixture, behind: header)
        }
    }

    @Test func proxyIsClientWithoutSource() async throws {
        let headers = [
            ProxyHeader.line("UNKNOWN"), ProxyHeader.line("UNKNOWN ffff::1 ffff::2 1 2"),
            ProxyHeader.binary(command: 0x20, family: 0, []),
            ProxyHeader.binary(command: 0x20, [203, 0, 113, 9, 192, 0, 2, 1, 1, 1, 1, 1]), [],
        ]
        try await withGateway(Self.trusting) { fixture async throws in
            for header in headers { try await expectSource("127.0.0.1", fixture, behind: header) }
        }
    }

    @Test func sourceAddressMayBeTrustedProxy() async throws {
        let setup = GatewaySetup(gateway: "trusted_proxies: [127.0.0.1/32, 203.0.113.0/24]")
        try await withGateway(setup) { fixture async throws in
            let client = try await fixture.connect()
            let head = fixture.head("/open/x", fields: ["X-Forwarded-For: 198.51.100.7"])
            try await client.send(ProxyHeader.line4 + Array(head.utf8))
            #expect(try await client.response().status == 200)
            let seen = try await fixture.backend.arrivals.next()
            #expect(seen.fields.list("X-Forwarded-For") == ["198.51.100.7", "203.0.113.9"])
        }
    }

    @Test func http2FollowsProxyHeader() async throws {
        try await withGateway(Self.trusting) { fixture async throws in
            for header in [ProxyHeader.line4, ProxyHeader.binary4] {
                let client = HTTP2Client(try await fixture.connect())
                try await client.sendRaw(header + HTTP2Client.preface)
                try await client.send(.settings())
                #expect(try await client.request("/open/x").status == 200)
                #expect(try await fixture.backend.arrivals.next().fields["X-Forwarded-For"] == ["203.0.113.9"])
            }
        }
    }

    @Test func tlsFollowsProxyHeader() async throws {
        try await withTLSGateway(.tls(gateway: "trusted_proxies: [127.0.0.1/32]")) { fixture async throws in
            let pieces = ProxyHeader.line4.map { [$0] }
            for preamble in [[ProxyHeader.line4], [ProxyHeader.binary4], pieces] {
                let client = try await fixture.connectTLS(preamble: preamble)
                #expect(try await client.request(fixture.head("/open/x")).status == 200)
                let seen = try await fixture.backend.arrivals.next()
                #expect(seen.fields["X-Forwarded-For"] == ["203.0.113.9"])
                #expect(seen.fields["X-Forwarded-Proto"] == ["https"])
                #expect(try await fixture.accessLog.next()["remote"]?.string == "203.0.113.9")
            }
            let client = try await fixture.http2TLS(preamble: [ProxyHeader.binary6])
            #expect(try await client.request("/open/x").status == 200)
            #expect(try await fixture.backend.arrivals.next().fields["X-Forwarded-For"] == ["2001:db8::9"])
        }
    }

    private static let malformed: [[UInt8]] = [
        ProxyHeader.line("TCP4 203.0.113.9 192.0.2.1 41000"), ProxyHeader.line("TCP4 2001:db8::9 2001:db8::1 1 2"),
        ProxyHeader.line("TCP4 203.0.113.9 192.0.2.1 41000 70000"), ProxyHeader.line("TCP4  203.0.113.9 192.0.2.1 1 2"),
        Array("PROXY TCP4 203.0.113.9 192.0.2.1 41000 443\nGET /".utf8),
        Array("PROXY UNKNOWN \(String(repeating: "a", count: 200))".utf8), ProxyHeader.binary(command: 0x31, []),
        ProxyHeader.binary(command: 0x22, []), ProxyHeader.binary(family: 0x91, []),
        ProxyHeader.binary([203, 0, 113, 9]), ProxyHeader.signature + [0x21, 0x11, 0xff, 0xff],
    ]

    @Test func malformedHeaderClosesConnection() async throws {
        try await withGateway(Self.trusting) { fixture async throws in
            for header in Self.malformed {
                let client = try await fixture.connect()
                try await client.send(header + Array(fixture.head("/open/x").utf8))
                #expect(try await client.untilClosed() == [], "\(header.text)")
            }
            #expect(fixture.backend.requests.isEmpty)
            #expect(fixture.log.text.contains("a proxy's connection is refused"))
        }
    }

    @Test func proxyHeaderOfUntrustedPeerIsRefused() async throws {
        try await withGateway(GatewaySetup(gateway: "trusted_proxies: [192.0.2.0/24]")) { fixture async throws in
            for header in [ProxyHeader.line4, ProxyHeader.binary4, ProxyHeader.line("UNKNOWN")] {
                let client = try await fixture.connect()
                try await client.send(header + Array(fixture.head("/open/x").utf8))
                let response = try await client.untilClosed().text
                #expect(response.isEmpty || response.hasPrefix("HTTP/1.1 400 "), "\(response)")
            }
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    @Test func proxyHeaderOfUntrustedPeerFailsHandshake() async throws {
        try await withTLSGateway { fixture async throws in
            for header in [ProxyHeader.line4, ProxyHeader.binary4] {
                await #expect(throws: (any Error).self) { _ = try await fixture.connectTLS(preamble: [header]) }
            }
            #expect(fixture.backend.requests.isEmpty)
        }
    }
}
