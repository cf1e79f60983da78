import Testing

/// RST_STREAM, PUSH_PROMISE, PING and GOAWAY from a client (RFC 9113 sections 6.4, 6.6, 6.7 and 6.8).
@Suite struct ConnectionFrameTests {
    // MARK: RST_STREAM

    @Test func aResetStreamIsGivenUpAtTheBackendToo() async throws {
        let script = BackendScript { exchange in
            if exchange.head.path == "/open/canary" { return try await exchange.sendOK() }
            try await exchange.body()
        }
        try await withGateway(backend: script) { fixture async throws in
            let client = try await fixture.http2()
            let stream = try await client.open("/open/x", method: "POST", body: [1, 2, 3], end: false)
            _ = try await fixture.backend.heads.next()
            try await client.send(.reset(stream))
            _ = try await fixture.backend.abandoned.next()
            try await client.expectAlive()
            #expect(fixture.backend.requestsButCanaries.isEmpty)
        }
    }

    @Test func anUnknownErrorCodeMeansNothingSpecial() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            let stream = try await client.open("/open/x", method: "POST", end: false)
            try await client.send(.reset(stream, HTTP2ErrorCode(rawValue: 0xffff_fff0)))
            try await client.expectAlive()
        }
    }

    @Test func aResetOfTheConnectionIsAConnectionError() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            try await client.send(.reset(0))
            try await client.expectConnectionError(.protocolError)
        }
    }

    // MARK: PUSH_PROMISE

    @Test func aClientMustNotPush() async throws {
        try await withGateway { fixture async throws in
            for stream in [0, 1, 3] {
                let client = try await fixture.http2()
                _ = try await client.open("/open/x", method: "POST", end: false)
                let promise = 2.bigEndian(4) + HeaderBlock(fields: HTTP2Client.fields("/open/pushed")).bytes
                try await client.send(
                    HTTP2Frame(type: .pushPromise, flags: .endHeaders, stream: stream, payload: promise)
                )
                try await client.expectConnectionError(.protocolError, comment: "on stream \(stream)")
            }
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    // MARK: PING

    @Test func aPingIsAnsweredWithItsPayload() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            #expect(try await client.event(on: 0) == .settingsAcknowledged)
            for payload in [[0, 0, 0, 0, 0, 0, 0, 0], [1, 2, 3, 4, 5, 6, 7, 8], [255, 0, 255, 0, 13, 10, 13, 10]]
                as [[UInt8]]
            {
                try await client.send(.ping(payload))
                #expect(try await client.event(on: 0) == .pingAcknowledged(payload))
            }
        }
    }

    @Test func aPingsAcknowledgementIsNotAnswered() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            #expect(try await client.event(on: 0) == .settingsAcknowledged)
            try await client.send(.ping([1, 2, 3, 4, 5, 6, 7, 8], acknowledgement: true))
            #expect(try await client.sync())
            #expect(await client.ready(on: 0) == [])
        }
    }

    @Test func aPingOfAStreamIsAConnectionError() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            let stream = try await client.open("/open/x", method: "POST", end: false)
            try await client.send(HTTP2Frame(type: .ping, stream: stream, payload: [0, 0, 0, 0, 0, 0, 0, 0]))
            try await client.expectConnectionError(.protocolError)
        }
    }

    // MARK: GOAWAY

    @Test func aClientThatSaysGoodbyeStillGetsItsAnswers() async throws {
        let answer = Gate("the backend answers")
        let script = BackendScript { exchange in
            try await exchange.body()
            try await answer.passed()
            try await exchange.sendOK()
        }
        try await withGateway(backend: script) { fixture async throws in
            for code in [HTTP2ErrorCode.noError, HTTP2ErrorCode(rawValue: 0xcafe)] {
                let client = try await fixture.http2()
                let stream = try await client.open("/open/x")
                _ = try await fixture.backend.arrivals.next()
                try await client.send(.goAway(code, debug: "so long"))
                answer.open()
                #expect(try await client.answer(on: stream).status == 200, "\(code)")
            }
        }
    }

    @Test func aGoAwayOfAStreamIsAConnectionError() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            let stream = try await client.open("/open/x", method: "POST", end: false)
            var frame = HTTP2Frame.goAway()
            frame.stream = stream
            try await client.send(frame)
            try await client.expectConnectionError(.protocolError)
        }
    }

    @Test func theGatewaysGoAwayNamesTheLastStreamItTook() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            #expect(try await client.request("/open/1").status == 200)
            #expect(try await client.request("/open/3").status == 200)
            try await client.send(.ping([1]))
            try await client.expectConnectionError(.frameSizeError)
            #expect(await client.lastGoAway?.lastStream == 3)
        }
    }
}
