import Testing

/// One client address cannot block a server for others, however slowly it sends.
@Suite struct PoolSharingTests {
    private static let setup = GatewaySetup(
        gateway: "trusted_proxies: [\"127.0.0.1/32\"]",
        tenant: "backend: { servers: [\"{backend}\"], limits: { connections: 8, pending: 32 } }"
    )
    private static let attacker = "203.0.113.9"
    private static let trickled = 100

    private func expectOthersServed(_ fixture: GatewayFixture) async throws {
        for number in 1...4 {
            let fields = ["X-Forwarded-For: 198.51.100.\(number)"]
            let response = try await fixture.request("/open/x", fields: fields)
            #expect(response.status == 200, "\(response.body.text)")
        }
    }

    @Test func trickledBodiesOverHTTP1DoNotBlockOthers() async throws {
        try await withGateway(Self.setup) { fixture async throws in
            var slow: [RawClient] = []
            for _ in 0..<Self.trickled {
                let client = try await fixture.connect()
                let fields = ["Content-Length: 1000", "X-Forwarded-For: \(Self.attacker)"]
                try await client.send(fixture.head("/open/x", method: "POST", fields: fields) + "x")
                slow.append(client)
            }
            for _ in 0..<8 { _ = try await fixture.backend.heads.next() }
            try await expectOthersServed(fixture)
            for client in slow { await client.close() }
        }
    }

    @Test func trickledBodiesOverHTTP2DoNotBlockOthers() async throws {
        try await withGateway(Self.setup) { fixture async throws in
            let client = try await fixture.http2()
            for _ in 0..<Self.trickled {
                let fields = [("x-forwarded-for", Self.attacker), ("content-length", "1000")]
                _ = try await client.open(
                    "/open/x",
                    method: "POST",
                    fields: fields,
                    body: [UInt8(ascii: "x")],
                    end: false
                )
            }
            for _ in 0..<8 { _ = try await fixture.backend.heads.next() }
            try await expectOthersServed(fixture)
        }
    }

    /// Unread responses do not block others either: while much is queued for a connection its servers are not read
    /// from, and would wait for as long as the client likes.
    @Test func unreadResponsesDoNotBlockOthers() async throws {
        let size = 60_000
        let script = BackendScript { exchange in
            try await exchange.body()
            let length = exchange.head.target.hasSuffix("large") ? size : 2
            try await exchange.send("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n")
            try await exchange.send([UInt8](repeating: 7, count: length))
        }
        var setup = Self.setup
        // The minimum rate would end them as well, only later.
        setup.tenant += "\nlimits: { body_rate: 0 }"
        try await withGateway(setup, backend: script) { fixture async throws in
            let client = try await fixture.http2(.initialWindowSize(0))
            await client.keepWindowsShut()
            // About nine fill the connection's buffer, and the next eight are not read to their end.
            for _ in 0..<30 {
                _ = try await client.open("/open/large", fields: [("x-forwarded-for", Self.attacker)])
            }
            _ = try await fixture.metrics { ($0.value("gatehouse_client_backlog_bytes") ?? 0) > 524_288 }
            try await expectOthersServed(fixture)
        }
    }

    /// A sole address may use every connection, as long as it keeps the rate.
    @Test func soleAddressMayUseEveryConnection() async throws {
        try await withGateway(Self.setup, backend: .echo) { fixture async throws in
            var clients: [RawClient] = []
            for _ in 0..<8 {
                let client = try await fixture.connect()
                try await client.send(fixture.head("/open/x", method: "POST", fields: ["Content-Length: 5"]) + "he")
                _ = try await fixture.backend.heads.next()
                clients.append(client)
            }
            for client in clients {
                #expect(try await client.request("llo", method: "POST").body.text == "hello")
            }
        }
    }

    /// A body below the minimum rate ends with 408 after its first 10 s.
    @Test func bodyBelowRateIsRefused() async throws {
        try await withGateway(.init(), backend: .echo) { fixture async throws in
            let client = try await fixture.connect()
            try await client.send(fixture.head("/open/x", method: "POST", fields: ["Content-Length: 5"]) + "he")
            let second = try await fixture.http2()
            let stream = try await second.open("/open/x", method: "POST", body: Array("he".utf8), end: false)
            for _ in 0..<2 { _ = try await fixture.backend.heads.next() }
            // No content, and no end either.
            let fields = [("content-length", "0")]
            let empty = try await second.open("/open/x", method: "POST", fields: fields, end: false)
            // Empty frames are not progress.
            try await second.send(.data(stream, ""))
            expectRefusal(try await client.response(to: "POST"), 408, "bad_request", "HTTP/1.1")
            expectRefusal(try await second.response(on: stream, to: "POST"), 408, "bad_request", "HTTP/2")
            expectRefusal(try await second.response(on: empty, to: "POST"), 408, "bad_request", "HTTP/2, no content")
            for _ in 0..<2 { _ = try await fixture.backend.abandoned.next() }
        }
    }
}
