import Testing

/// What a frame means in each state of a stream (RFC 9113 section 5.1).
@Suite struct StreamStateTests {
    private static let post = HeaderBlock(fields: HTTP2Client.fields("/open/x", method: "POST"))

    // MARK: Idle

    @Test func anIdleStreamTakesNothingButHeadersAndPriority() async throws {
        let frames: [HTTP2Frame] = [.data(1, "x", end: true), .reset(1), .windowUpdate(1, 100)]
        try await withGateway { fixture async throws in
            for frame in frames {
                let client = try await fixture.http2()
                try await client.send(frame)
                try await client.expectConnectionError(.protocolError, comment: "\(frame)")
            }
            #expect(fixture.backend.connections == 0)
        }
    }

    @Test func anIdleStreamOfTheServersTakesNothing() async throws {
        try await withGateway { fixture async throws in
            for frame in [HTTP2Frame.data(2, "x"), .reset(2), .windowUpdate(2, 100)] {
                let client = try await fixture.http2()
                try await client.send(frame)
                try await client.expectConnectionError(.protocolError, comment: "\(frame)")
            }
        }
    }

    // MARK: Half-closed

    /// A gateway whose backend answers once the test has seen the stream half closed.
    private func withHeldAnswer(_ visit: (GatewayFixture, HTTP2Client, Int, Gate) async throws -> Void) async throws {
        let answer = Gate("the backend answers")
        let script = BackendScript { exchange in
            try await exchange.body()
            if exchange.head.path == "/open/held" { try await answer.passed() }
            try await exchange.sendOK()
        }
        try await withGateway(backend: script) { fixture async throws in
            let client = try await fixture.http2()
            let stream = try await client.open("/open/held", method: "POST", body: Array("hello".utf8))
            _ = try await fixture.backend.arrivals.next()
            try await visit(fixture, client, stream, answer)
            answer.open()
        }
    }

    @Test func dataAfterTheRequestsEndIsAStreamError() async throws {
        try await withHeldAnswer { fixture, client, stream, _ in
            try await client.send(.data(stream, "more", end: true))
            try await client.expectStreamError(.streamClosed, on: stream)
            #expect(fixture.backend.requests.map(\.body.text) == ["hello"])
        }
    }

    @Test func headersAfterTheRequestsEndAreAStreamError() async throws {
        for complete in [true, false] {
            try await withHeldAnswer { fixture, client, stream, _ in
                try await client.send(.headers(stream, Self.post, complete: complete))
                if !complete { try await client.send(.continuation(stream, HeaderBlock())) }
                try await client.expectStreamError(.streamClosed, .protocolError, on: stream)
                #expect(fixture.backend.requests.count == 1)
            }
        }
    }

    @Test func windowUpdatesAndPrioritiesAfterTheRequestsEndAreTaken() async throws {
        try await withHeldAnswer { _, client, stream, answer in
            try await client.send(.windowUpdate(stream, 1000), .priority(stream, on: 0))
            #expect(try await client.sync())
            answer.open()
            #expect(try await client.answer(on: stream).status == 200)
        }
    }

    @Test func aResetAfterTheRequestsEndEndsTheBackendsWork() async throws {
        try await withHeldAnswer { fixture, client, stream, _ in
            try await client.send(.reset(stream))
            #expect(try await client.sync())
            try await client.expectAlive()
            #expect(await client.ready(on: stream) == [])
        }
    }

    // MARK: Closed

    /// After a whole exchange; HEADERS look like a stream identifier used again (RFC 9113 section 5.1.1).
    @Test func dataOnAStreamThatIsOverIsAnError() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            #expect(try await client.request("/open/x", method: "POST", body: [1]).status == 200)
            try await client.send(.data(1, "x", end: true))
            try await client.expectStreamError(.streamClosed, on: 1)
            #expect(fixture.backend.requests.count == 1)
        }
    }

    @Test func headersOnAStreamThatIsOverAreAnError() async throws {
        for complete in [true, false] {
            try await withGateway { fixture async throws in
                let client = try await fixture.http2()
                #expect(try await client.request("/open/x", method: "POST", body: [1]).status == 200)
                try await client.send(.headers(1, Self.post, complete: complete))
                if !complete { try? await client.send(.continuation(1, HeaderBlock())) }
                try await client.expectStreamError(.streamClosed, .protocolError, on: 1)
                #expect(fixture.backend.requests.count == 1)
            }
        }
    }

    @Test func aContinuationOnAStreamThatIsOverIsAConnectionError() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            #expect(try await client.request("/open/x").status == 200)
            try await client.send(.continuation(1, Self.post))
            try await client.expectConnectionError(.protocolError, .streamClosed)
        }
    }

    /// They may have been on their way (RFC 9113 section 5.1).
    @Test func lateFramesOnAStreamThatIsOverAreIgnored() async throws {
        try await withGateway { fixture async throws in
            for frame in [HTTP2Frame.windowUpdate(1, 10), .reset(1), .priority(1, on: 0)] {
                let client = try await fixture.http2()
                #expect(try await client.request("/open/x").status == 200)
                try await client.send(frame)
                #expect(try await client.sync(), "\(frame)")
                try await client.expectAlive(comment: "\(frame)")
            }
        }
    }

    @Test func dataOnAStreamThatTheClientResetIsAnError() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            let stream = try await client.open("/open/x", method: "POST", end: false)
            try await client.send(.reset(stream), .data(stream, "x", end: true))
            try await client.expectStreamError(.streamClosed, on: stream)
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    @Test func headersOnAStreamThatTheClientResetAreAnError() async throws {
        for complete in [true, false] {
            try await withGateway { fixture async throws in
                let client = try await fixture.http2()
                let stream = try await client.open("/open/x", method: "POST", end: false)
                try await client.send(.reset(stream), .headers(stream, Self.post, complete: complete))
                if !complete { try? await client.send(.continuation(stream, HeaderBlock())) }
                try await client.expectStreamError(.streamClosed, .protocolError, on: stream)
                #expect(fixture.backend.requests.isEmpty)
            }
        }
    }

    @Test func aContinuationOnAStreamThatTheClientResetIsAConnectionError() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            let stream = try await client.open("/open/x", method: "POST", end: false)
            try await client.send(.reset(stream), .continuation(stream, HeaderBlock()))
            try await client.expectConnectionError(.protocolError, .streamClosed)
        }
    }

    /// What was on its way when the gateway reset the stream is taken without a word (RFC 9113 section 5.1), but it
    /// counts for the connection's window.
    @Test func dataOnAStreamThatTheGatewayResetIsIgnored() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            let stream = await client.newStream()
            let fields = HTTP2Client.fields("/open/x", method: "POST", fields: [("te", "gzip")])
            try await client.send(.headers(stream, HeaderBlock(fields: fields), end: false))
            try await client.send(.data(stream, "on its way"), .data(stream, "still", end: true))
            try await client.expectMalformed(on: stream)
            #expect(fixture.backend.requestsButCanaries.isEmpty)
        }
    }

    // MARK: Identifiers (RFC 9113 section 5.1.1)

    @Test func evenIdentifiersAreTheServers() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            try await client.send(.headers(2, Self.post))
            try await client.expectConnectionError(.protocolError)
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    @Test func identifiersOnlyGoUp() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            try await client.send(.headers(5, Self.post))
            #expect(try await client.answer(on: 5).status == 200)
            try await client.send(.headers(3, Self.post))
            try await client.expectConnectionError(.protocolError, .streamClosed)
            #expect(fixture.backend.requests.count == 1)
        }
    }

    @Test func identifiersMayBeLeftOut() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            for stream in [3, 101, 0x7fff_ffff] {
                try await client.send(.headers(stream, Self.post))
                #expect(try await client.answer(on: stream).status == 200)
            }
        }
    }
}
