import Testing

/// Requests over HTTP/2 that wait for the one connection to their server, while their stream goes on.
@Suite struct WaitingRequestTests {
    private static let setup = GatewaySetup(
        tenant: "backend: { servers: [\"{backend}\"], limits: { connections: 1, pending: 10 } }"
    )

    /// A gateway whose only server connection is busy until the gate opens.
    private func withBusyServer(_ test: (GatewayFixture, HTTP2Client, Gate) async throws -> Void) async throws {
        let response = Gate("the backend answers")
        let script = BackendScript { exchange in
            try await exchange.body()
            if exchange.head.path == "/open/busy" { try await response.passed() }
            try await exchange.sendOK(exchange.head.path)
        }
        try await withGateway(Self.setup, backend: script) { fixture async throws in
            let busy = try await fixture.connect()
            try await busy.send(fixture.head("/open/busy"))
            _ = try await fixture.backend.arrivals.next()
            try await test(fixture, try await fixture.http2(), response)
            #expect(try await busy.response().body.text == "/open/busy")
            #expect(fixture.backend.connections == 1)
        }
    }

    /// Windows are returned once the server reads what has arrived, even if nothing more arrives.
    @Test(arguments: [nil, 255])
    func windowIsReturnedOnceServerTakesWaitingContent(padding: Int?) async throws {
        try await withBusyServer { fixture, client, response in
            // 99 padded frames use the window up with less content than the server takes at once.
            let length = padding == nil ? 16_384 : 405
            let block = [UInt8](repeating: 7, count: padding == nil ? 65_535 : 99 * length)
            let stream = try await client.open("/open/x", method: "POST", end: false)
            try await client.sendBody(block, on: stream, end: false, pieces: length, padding: padding)
            #expect(try await client.sync())
            response.open()
            try await client.sendBody(block, on: stream, pieces: length, padding: padding)
            #expect(try await client.response(on: stream).body.text == "/open/x")
            #expect(fixture.backend.requests.last?.body.bytes.count == 2 * block.count)
        }
    }

    /// A server connection that must be opened first, and a client that is out of window until then.
    @Test func windowIsReturnedOnceServerIsConnected() async throws {
        let script = BackendScript { exchange in
            try await exchange.body()
            try await exchange.sendOK(fields: "Connection: close\r\n")
            await exchange.close()
        }
        try await withGateway(backend: script) { fixture async throws in
            let client = try await fixture.http2()
            let pieces = [16_384, 16_384, 16_384, 16_383].map { [UInt8](repeating: 7, count: $0) }
            let fields = HTTP2Client.fields("/open/x", method: "POST")
            for _ in 0..<20 {
                let stream = await client.newStream()
                let head = HTTP2Frame.headers(stream, HeaderBlock(fields: fields), end: false)
                try await client.send([head] + pieces.map { .data(stream, $0) })
                await client.spend(65_535, on: stream)
                try await client.sendBody(pieces[0], on: stream)
                #expect(try await client.response(on: stream).status == 200)
            }
            #expect(fixture.backend.connections == 20)
            #expect(fixture.backend.requests.allSatisfy { $0.body.bytes.count == 65_535 + 16_384 })
        }
    }

    /// Buffers may be reused for another request; they must never mix.
    @Test func malformedWaitingRequestIsDropped() async throws {
        try await withBusyServer { fixture, client, response in
            var given: [Int] = []
            for _ in 0..<3 {
                given.append(try await client.open("/open/given-up", method: "POST", body: [1], end: false))
            }
            try await client.send(given.map { .reset($0) })
            let post = HeaderBlock(fields: HTTP2Client.fields("/open/bad", method: "POST"))
            let trailers = HeaderBlock(fields: [(":path", "/open/y")])
            var bad: [Int] = []
            for _ in 0..<3 { bad.append(await client.newStream()) }
            try await client.send(bad.map { .headers($0, post, end: false) })
            try await client.send(bad.map { .headers($0, trailers) })
            for stream in bad { try await client.expectStreamError(.protocolError, on: stream) }
            let good = try await client.open("/open/good", method: "POST", body: Array("good".utf8))
            #expect(try await client.sync())
            response.open()
            #expect(try await client.response(on: good).body.text == "/open/good")
            #expect(fixture.backend.requests.map(\.target) == ["/open/busy", "/open/good"])
            #expect(fixture.backend.requests.last?.body.text == "good")
        }
    }
}
