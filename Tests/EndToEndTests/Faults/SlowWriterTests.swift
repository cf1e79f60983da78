import Testing

/// Clients that send their requests byte by byte, or stop in the middle.
@Suite struct SlowWriterTests {
    private static let count = 20

    // MARK: Heads

    @Test func slowHeadsDoNotHoldUpOthers() async throws {
        try await withGateway(.failing()) { fixture async throws in
            let head = fixture.head("/open/x")
            var slow: [RawClient] = []
            for _ in 0..<Self.count {
                let client = try await fixture.connect()
                try await client.drip(String(head.prefix(20)))
                slow.append(client)
            }
            let fields = HTTP2Client.fields("/open/x")
            var slowOverHTTP2: [(HTTP2Client, Int)] = []
            for _ in 0..<Self.count {
                let client = try await fixture.http2()
                let stream = await client.newStream()
                let beginning = HeaderBlock(fields: Array(fields.prefix(2)))
                try await client.drip(.headers(stream, beginning, complete: false))
                slowOverHTTP2.append((client, stream))
            }
            try await fixture.expectNeighbourServed(times: 10)
            #expect(fixture.backend.requests.isEmpty)
            // None was dropped meanwhile.
            for client in slow {
                try await client.send(String(head.dropFirst(20)))
                #expect(try await client.response().status == 200)
            }
            for (client, stream) in slowOverHTTP2 {
                try await client.send(.continuation(stream, HeaderBlock(fields: Array(fields.dropFirst(2)))))
                #expect(try await client.response(on: stream).status == 200)
            }
        }
    }

    @Test func slowHeadIsRefused() async throws {
        let setup = GatewaySetup.failing(gateway: "limits: { header_timeout: 3s, idle_timeout: 6s }")
        try await withGateway(setup) { fixture async throws in
            let client = try await fixture.connect()
            try await client.drip("GET /open/x HTTP/1.1\r\nHo")
            let second = try await fixture.http2()
            let stream = await second.newStream()
            try await second.drip(.headers(stream, HeaderBlock(fields: [(":method", "GET")]), complete: false))
            try await fixture.expectNeighbourServed()
            expectRefusal(try await client.response(), 408, "bad_request", "HTTP/1.1")
            try await client.untilClosed()
            // There is no stream yet to respond on.
            while try await second.event(on: 0) != nil {}
            #expect(await second.lastGoAway?.code == .enhanceYourCalm)
            #expect(fixture.backend.requests.isEmpty)
            try await fixture.expectNeighbourServed()
        }
    }

    // MARK: Bodies

    @Test func slowBodiesDoNotHoldUpOthers() async throws {
        try await withGateway(.failing(), backend: .echo) { fixture async throws in
            var slow: [RawClient] = []
            var slowOverHTTP2: [(HTTP2Client, Int)] = []
            for _ in 0..<Self.count {
                let client = try await fixture.connect()
                try await client.send(fixture.head("/open/x", method: "POST", fields: ["Content-Length: 5"]))
                try await client.drip("he")
                slow.append(client)
                let second = try await fixture.http2()
                let stream = try await second.open("/open/x", method: "POST", body: Array("he".utf8), end: false)
                slowOverHTTP2.append((second, stream))
            }
            for _ in 0..<2 * Self.count { _ = try await fixture.backend.heads.next() }
            try await fixture.expectNeighbourServed(times: 10)
            #expect(fixture.backend.requests.isEmpty)
            for client in slow {
                try await client.drip("llo")
                #expect(try await client.response(to: "POST").body.text == "hello")
            }
            for (client, stream) in slowOverHTTP2 {
                for letter in ["l", "l"] { try await client.send(.data(stream, letter)) }
                try await client.send(.data(stream, "o", end: true))
                #expect(try await client.response(on: stream, to: "POST").body.text == "hello")
            }
        }
    }

    @Test func stalledBodyIsRefused() async throws {
        let setup = GatewaySetup.failing(gateway: "limits: { idle_timeout: 3s }")
        try await withGateway(setup, backend: .echo) { fixture async throws in
            let client = try await fixture.connect()
            try await client.send(fixture.head("/open/x", method: "POST", fields: ["Content-Length: 5"]) + "he")
            let second = try await fixture.http2()
            let stream = try await second.open("/open/x", method: "POST", body: Array("he".utf8), end: false)
            for _ in 0..<2 { _ = try await fixture.backend.heads.next() }
            try await fixture.expectNeighbourServed()
            expectRefusal(try await client.response(to: "POST"), 408, "bad_request", "HTTP/1.1")
            expectRefusal(try await second.response(on: stream, to: "POST"), 408, "bad_request", "HTTP/2")
            for _ in 0..<2 { _ = try await fixture.backend.abandoned.next() }
            #expect(fixture.backend.requests.isEmpty)
            try await fixture.expectNeighbourServed()
            try await fixture.expectRefused("bad_request", 408, 2)
        }
    }
}
