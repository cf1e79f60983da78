import Testing

/// Requests over TLS.
@Suite struct ListenerTests {
    private static let trusting = GatewaySetup.tls(gateway: "trusted_proxies: [127.0.0.1/32]")
    private static let claimed = [
        "X-Forwarded-For: 203.0.113.9", "X-Forwarded-Proto: http", "Forwarded: for=203.0.113.9;proto=http",
    ]

    @Test func bothVersionsAreServedByALPN() async throws {
        try await withTLSGateway(backend: .echo) { fixture async throws in
            for protocols in [["http/1.1"], []] {
                let client = try await fixture.connectTLS(applicationProtocols: protocols)
                for body in ["hello", "again"] {
                    try await client.send(fixture.head("/open/x", method: "POST", fields: ["Content-Length: 5"]) + body)
                    #expect(try await client.response(to: "POST").body.text == body)
                }
            }
            let client = try await fixture.http2TLS()
            let body = [UInt8](repeating: 7, count: 200_000)
            #expect(try await client.request("/open/x", method: "POST", body: body).body.bytes == body)
        }
    }

    @Test func backendSeesTLSInForwardedProto() async throws {
        try await withTLSGateway { fixture async throws in
            let client = try await fixture.connectTLS()
            #expect(try await client.request(fixture.head("/open/x", fields: Self.claimed)).status == 200)
            _ = try await fixture.http2TLS().request("/open/x")
            for _ in 0..<2 {
                let seen = try await fixture.backend.arrivals.next()
                #expect(seen.fields["X-Forwarded-Proto"] == ["https"])
                #expect(seen.fields["X-Forwarded-For"] == ["127.0.0.1"])
                #expect(seen.fields["Forwarded"].joined().lowercased().contains("proto=https"))
                #expect(!seen.fields["Forwarded"].joined().contains("203.0.113.9"))
            }
        }
    }

    @Test func trustedProxyOverTLSSetsForwardedProto() async throws {
        try await withTLSGateway(Self.trusting) { fixture async throws in
            let client = try await fixture.connectTLS()
            #expect(try await client.request(fixture.head("/open/x", fields: Self.claimed)).status == 200)
            let seen = try await fixture.backend.arrivals.next()
            #expect(seen.fields["X-Forwarded-Proto"] == ["http"])
            #expect(seen.fields.list("X-Forwarded-For") == ["203.0.113.9", "127.0.0.1"])
            let forwarded = seen.fields["Forwarded"].joined(separator: ",").lowercased()
            #expect(forwarded.hasPrefix("for=203.0.113.9;proto=http,"))
            #expect(forwarded.split(separator: ",").last?.contains("proto=https") == true)
        }
    }

    @Test func plainListenerBesideTLSStaysPlain() async throws {
        try await withTLSGateway { fixture async throws in
            let client = fixture.keep(RawClient(try await Wire.connect(to: fixture.addresses[1])))
            #expect(try await client.request(fixture.head("/open/x")).status == 200)
            #expect(try await fixture.backend.arrivals.next().fields["X-Forwarded-Proto"] == ["http"])
        }
    }

    @Test func plainTextOnTLSListenerIsRefused() async throws {
        try await withTLSGateway { fixture async throws in
            let response = try await fixture.request("/open/x")
            #expect(response.status == 400)
            #expect(response.body.text.contains("TLS"))
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    @Test func truncatedResponseDoesNotEndCleanly() async throws {
        let raw = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"
        try await withTLSGateway(backend: .responseThenClose(raw)) { fixture async throws in
            let client = try await fixture.connectTLS()
            try await client.send(fixture.head("/open/x"))
            #expect(try await client.untilClosed().text.hasSuffix("hello"))
            let http2 = try await fixture.http2TLS()
            let outcome = try await http2.outcome(of: try await http2.open("/open/x"))
            guard case .reset = outcome else {
                Issue.record("it ended as \(outcome)")
                return
            }
        }
    }

    @Test func manyRequestsShareConnectionOverTLS() async throws {
        try await withTLSGateway(backend: .echo) { fixture async throws in
            let client = try await fixture.http2TLS()
            var streams: [Int] = []
            for number in 0..<50 {
                streams.append(try await client.open("/open/x", method: "POST", body: Array("body \(number)".utf8)))
            }
            for (number, stream) in streams.enumerated() {
                #expect(try await client.response(on: stream).body.text == "body \(number)")
            }
        }
    }
}
