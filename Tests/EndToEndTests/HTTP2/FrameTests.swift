import TestSupport
import Testing

/// What every frame has in common (RFC 9113 sections 4.1, 4.2 and 5.5).
@Suite struct FrameTests {
    private static let request = HeaderBlock(fields: HTTP2Client.fields("/open/x", method: "POST"))

    @Test func unknownFrameTypesAreIgnored() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            let stream = await client.newStream()
            let alien = HTTP2Frame(type: .unknown, flags: .all, payload: [1, 2, 3])
            let onStream = HTTP2Frame(type: .unknown, stream: stream, payload: [])
            let onIdleStream = HTTP2Frame(type: .unknown, stream: 101, payload: [UInt8](repeating: 9, count: 1000))
            try await client.send(alien, onIdleStream, .headers(stream, Self.request, end: false), onStream)
            try await client.send(.data(stream, "he"), onStream, alien, .data(stream, "llo", end: true))
            #expect(try await client.answer(on: stream).status == 200)
            try await client.send(onStream)
            try await client.expectAlive()
            #expect(fixture.backend.requestsButCanaries.map(\.body.text) == ["hello"])
        }
    }

    @Test func anUnknownFrameInsideAFieldSectionIsAConnectionError() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            try await client.send(
                .headers(1, Self.request, complete: false),
                HTTP2Frame(type: .unknown, stream: 1, payload: [1])
            )
            try await client.expectConnectionError(.protocolError)
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    @Test func undefinedFlagsAreIgnored() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            let stream = await client.newStream()
            let undefined = FrameFlags(rawValue: 0xd2)
            var headers = HTTP2Frame.headers(stream, Self.request, end: false)
            var data = HTTP2Frame.data(stream, "hello", end: true)
            var ping = HTTP2Frame.ping([8, 7, 6, 5, 4, 3, 2, 1])
            var settings = HTTP2Frame.settings(.maxFrameSize(20_000))
            var window = HTTP2Frame.windowUpdate(0, 1)
            headers.flags.formUnion(undefined)
            data.flags.formUnion(undefined)
            ping.flags.formUnion(FrameFlags(rawValue: 0xfe))
            settings.flags.formUnion(FrameFlags(rawValue: 0xfe))
            window.flags = .all
            try await client.send(ping, settings, window, headers, data)
            #expect(try await client.answer(on: stream).status == 200)
            #expect(await client.ready(on: 0).contains(.pingAcknowledged([8, 7, 6, 5, 4, 3, 2, 1])))
            #expect(fixture.backend.requests.map(\.body.text) == ["hello"])
        }
    }

    @Test func theReservedBitIsIgnored() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            let stream = await client.newStream()
            var headers = HTTP2Frame.headers(stream, Self.request, end: false)
            var data = HTTP2Frame.data(stream, "hello", end: true)
            var ping = HTTP2Frame.ping([0, 0, 0, 0, 0, 0, 0, 99])
            headers.reservedBit = true
            data.reservedBit = true
            ping.reservedBit = true
            try await client.send(ping, headers, data)
            #expect(try await client.answer(on: stream).status == 200)
            #expect(fixture.backend.requests.map(\.body.text) == ["hello"])
        }
    }

    @Test func framesMayComeByteByByte() async throws {
        try await withGateway(backend: .echo) { fixture async throws in
            let client = try await fixture.http2()
            let stream = await client.newStream()
            try await client.drip(
                .headers(stream, Self.request, end: false),
                .data(stream, "he", padding: 3),
                .data(stream, "llo", end: true)
            )
            #expect(try await client.answer(on: stream).body.text == "hello")
        }
    }

    // MARK: Sizes

    @Test func aFrameOfTheOrdinaryLimitIsTaken() async throws {
        try await withGateway(backend: .echo) { fixture async throws in
            let client = try await fixture.http2()
            var generator = SplitMix64(seed: 16)
            let body = generator.variedBytes(16_384)
            #expect(try await client.request("/open/x", method: "POST", body: body).body.bytes == body)
        }
    }

    @Test func dataPastTheLimitIsAFrameSizeError() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            let stream = try await client.open("/open/x", method: "POST", end: false)
            try await client.send(.data(stream, [UInt8](repeating: 0, count: 16_385), end: true))
            try await client.expectStreamError(.frameSizeError, on: stream)
            #expect(fixture.backend.requests.count == 0)
        }
    }

    /// RFC 9113 section 4.2: a frame that could alter the state of the whole connection.
    @Test func headersPastTheLimitAreAConnectionError() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            let long = [("x-long", String(repeating: "a", count: 16_500))]
            try await client.send(.headers(1, HeaderBlock(fields: HTTP2Client.fields("/open/x", fields: long))))
            try await client.expectConnectionError(.frameSizeError)
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    @Test func aLengthPastTheLimitIsRefusedBeforeThePayloadComes() async throws {
        let types: [FrameType] = [.data, .headers, .settings, .goAway, .unknown]
        try await withGateway { fixture async throws in
            for type in types {
                let client = try await fixture.http2()
                let stream = try await client.open("/open/x", method: "POST", end: false)
                let onStream = type == .data || type == .headers
                let frame = HTTP2Frame(type: type, stream: onStream ? stream : 0)
                try await client.sendRaw(frame.bytes(claimedLength: 0xff_ffff))
                try await client.expectConnectionError(.frameSizeError, comment: "\(type)")
            }
        }
    }

    @Test func framesOfOneSizeAloneAreHeldToIt() async throws {
        let wrong: [HTTP2Frame] = [
            HTTP2Frame(type: .ping, payload: [UInt8](repeating: 0, count: 7)),
            HTTP2Frame(type: .ping, payload: [UInt8](repeating: 0, count: 9)),
            HTTP2Frame(type: .ping),
            HTTP2Frame(type: .resetStream, stream: 1, payload: [0, 0, 0]),
            HTTP2Frame(type: .resetStream, stream: 1, payload: [0, 0, 0, 8, 0]),
            HTTP2Frame(type: .windowUpdate, payload: [0, 0, 1]),
            HTTP2Frame(type: .windowUpdate, payload: [0, 0, 0, 1, 0]),
            HTTP2Frame(type: .windowUpdate, stream: 1, payload: [0, 0, 1]),
            HTTP2Frame(type: .settings, payload: [0, 3, 0, 0, 0]),
            HTTP2Frame(type: .settings, payload: [0, 3, 0, 0, 0, 100, 0]),
            HTTP2Frame(type: .settings, flags: .acknowledgement, payload: HTTP2Setting.maxFrameSize(16_384).bytes),
            HTTP2Frame(type: .goAway, payload: [0, 0, 0, 0, 0, 0, 0]),
        ]
        try await withGateway { fixture async throws in
            for frame in wrong {
                let client = try await fixture.http2()
                _ = try await client.open("/open/x", method: "POST", end: false)
                try await client.send(frame)
                try await client.expectConnectionError(.frameSizeError, comment: "\(frame)")
            }
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    /// RFC 9113 section 6.3: a stream error, which may be made a connection error.
    @Test func aPriorityOfAnotherSizeIsAFrameSizeError() async throws {
        try await withGateway { fixture async throws in
            for length in [4, 6] {
                let client = try await fixture.http2()
                let stream = try await client.open("/open/x", method: "POST", end: false)
                let payload = [UInt8](repeating: 0, count: length)
                try await client.send(HTTP2Frame(type: .priority, stream: stream, payload: payload))
                try await client.expectStreamError(.frameSizeError, on: stream, comment: "\(length) bytes")
            }
        }
    }
}
