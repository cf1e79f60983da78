import Testing

/// Limits on requests over HTTP/2.
@Suite struct HTTP2LimitTests {
    /// Expects the request to be refused alone, by a response with one of the statuses or by a stream error.
    private func expectRefused(
        _ client: HTTP2Client,
        _ stream: Int,
        _ statuses: Int...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let outcome = try await client.outcome(of: stream)
        switch outcome {
        case .response(let response):
            #expect(statuses.contains(response.status), sourceLocation: sourceLocation)
            #expect(Problem(response)?.status == response.status, sourceLocation: sourceLocation)
        case .reset(let code):
            let fitting: [HTTP2ErrorCode] = [.refusedStream, .protocolError, .enhanceYourCalm, .internalError, .cancel]
            #expect(fitting.contains(code), sourceLocation: sourceLocation)
        case .ended:
            Issue.record("\(outcome)", sourceLocation: sourceLocation)
            return
        }
        try await client.expectAlive(sourceLocation: sourceLocation)
    }

    private func send(_ block: HeaderBlock, _ client: HTTP2Client, pieces length: Int = 16_384) async throws -> Int {
        let stream = await client.newStream()
        let pieces = block.pieces(length)
        try await client.send(
            pieces.enumerated().map { number, piece in
                let complete = number == pieces.count - 1
                return number == 0
                    ? .headers(stream, piece, complete: complete) : .continuation(stream, piece, complete: complete)
            }
        )
        return stream
    }

    // MARK: Heads

    @Test func headOverLimitIsRefusedAlone() async throws {
        let setup = GatewaySetup(gateway: "limits: { header_bytes: 8KiB }")
        try await withGateway(setup) { fixture async throws in
            let client = try await fixture.http2()
            let fits = [("x-a", String(repeating: "a", count: 6000))]
            #expect(try await client.request("/open/x", fields: fits).status == 200)
            for value in [9000, 15_000] {
                let fields = [("x-a", String(repeating: "a", count: value))]
                let block = HeaderBlock(fields: HTTP2Client.fields("/open/x", fields: fields))
                try await expectRefused(client, try await send(block, client), 431)
            }
            #expect(fixture.backend.requestsButCanaries.count == 1)
        }
    }

    @Test func moreFieldsThanAllowedAreTooMany() async throws {
        try await withGateway(GatewaySetup(gateway: "limits: { headers: 20 }")) { fixture async throws in
            let client = try await fixture.http2()
            let fields = (0..<60).map { ("x-\($0)", "1") }
            #expect(try await client.request("/open/x", fields: Array(fields.prefix(12))).status == 200)
            try await expectRefused(client, try await client.open("/open/x", fields: fields), 431)
            #expect(fixture.backend.requestsButCanaries.count == 1)
        }
    }

    /// A small block that expands: 4,000 bytes in the table, referenced over and over.
    @Test func expandingHeaderBlockIsRefused() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            let fields = HTTP2Client.fields("/open/x")
            let entry = HeaderBlock.incremental("x-a", String(repeating: "a", count: 4000))
            let first = try await send(HeaderBlock(fields: fields) + entry, client)
            #expect(try await client.response(on: first).status == 200)
            var bomb = HeaderBlock(fields: fields)
            for _ in 0..<10_000 { bomb += .indexed(StaticIndex.last + 1) }
            let stream = try await send(bomb, client)
            switch try await client.outcome(of: stream) {
            case .response(let response): #expect(response.status == 431)
            case .reset(let code): #expect(code != .noError)
            case .ended(let code):
                #expect(code == .enhanceYourCalm || code == .compressionError, "\(String(describing: code))")
            }
            #expect(fixture.backend.requestsButCanaries.count == 1)
            #expect(try await fixture.http2().request("/open/canary").status == 200)
        }
    }

    @Test func trailersAreBoundedLikeFields() async throws {
        try await withGateway(GatewaySetup(gateway: "limits: { header_bytes: 8KiB }")) { fixture async throws in
            let client = try await fixture.http2()
            let stream = try await client.open(
                "/open/x",
                method: "POST",
                body: [1],
                trailers: [("x-a", String(repeating: "a", count: 12_000))]
            )
            try await expectRefused(client, stream, 431, 400)
            #expect(fixture.backend.requestsButCanaries.isEmpty)
        }
    }

    // MARK: Bodies

    private static let smallBodies = GatewaySetup(tenant: "limits: { body_bytes: 1KiB }")

    @Test func lengthOverBodyLimitIsRefusedAtOnce() async throws {
        try await withGateway(Self.smallBodies) { fixture async throws in
            let client = try await fixture.http2()
            let length = [("content-length", "1025")]
            let stream = try await client.open("/open/x", method: "POST", fields: length, end: false)
            expectRefusal(try await client.response(on: stream), 413, "payload_too_large")
            try await client.expectAlive()
            #expect(fixture.backend.requestsButCanaries.isEmpty)
        }
    }

    @Test func contentOverLimitIsRefused() async throws {
        try await withGateway(Self.smallBodies) { fixture async throws in
            let client = try await fixture.http2()
            let body = [UInt8](repeating: 7, count: 1024)
            #expect(try await client.request("/open/x", method: "POST", body: body).status == 200)
            let stream = try await client.open("/open/x", method: "POST", body: body, end: false)
            try await client.send(.data(stream, [7], end: true))
            expectRefusal(try await client.response(on: stream), 413, "payload_too_large")
            try await client.expectAlive()
            #expect(fixture.backend.requestsButCanaries.map(\.body.bytes.count) == [1024])
        }
    }

    // MARK: Time
}
