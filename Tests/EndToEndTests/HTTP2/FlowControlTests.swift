import Testing

/// WINDOW_UPDATE and the windows that the client gives (RFC 9113 sections 5.2 and 6.9). ``HTTP2Ledger`` counts along:
/// one byte past a window fails any test.
@Suite struct FlowControlTests {
    private static let largestWindow = 0x7fff_ffff

    private static func answering(_ text: String) -> BackendScript {
        .answers("HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)")
    }

    /// A GET whose head of the answer has come, and no byte of its content.
    private func openShut(_ fixture: GatewayFixture, _ settings: HTTP2Setting...) async throws -> (HTTP2Client, Int) {
        let client = try await fixture.http2()
        await client.keepWindowsShut()
        try await client.send(HTTP2Frame(type: .settings, payload: settings.flatMap(\.bytes)))
        let stream = try await client.open("/open/x")
        guard case .fields(_, end: false) = try await client.event(on: stream) else { throw Malformed("no head") }
        return (client, stream)
    }

    private func expectData(
        _ text: String,
        end: Bool,
        _ client: HTTP2Client,
        _ stream: Int,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        var received = ""
        var isOver = false
        while received.utf8.count < text.utf8.count || (end && !isOver) {
            guard case .data(let bytes, let last) = try await client.event(on: stream) else {
                Issue.record("no more content after \(received)", sourceLocation: sourceLocation)
                return
            }
            received += bytes.text
            isOver = last
        }
        #expect(received == text, sourceLocation: sourceLocation)
        #expect(isOver == end, sourceLocation: sourceLocation)
    }

    @Test func anAnswerWaitsForAWindow() async throws {
        try await withGateway(backend: Self.answering("hello")) { fixture async throws in
            let (client, stream) = try await openShut(fixture, .initialWindowSize(0))
            #expect(try await client.sync())
            #expect(await client.ready(on: stream) == [])
            try await client.send(.windowUpdate(stream, 1))
            try await expectData("h", end: false, client, stream)
            try await client.send(.windowUpdate(stream, 2))
            try await expectData("el", end: false, client, stream)
            try await client.send(.windowUpdate(stream, 1000))
            try await expectData("lo", end: true, client, stream)
        }
    }

    @Test func aWindowOfOneByteIsObeyed() async throws {
        try await withGateway(backend: Self.answering("hello")) { fixture async throws in
            let (client, stream) = try await openShut(fixture, .initialWindowSize(1))
            try await expectData("h", end: false, client, stream)
            #expect(try await client.sync())
            #expect(await client.ready(on: stream) == [])
            for letter in ["e", "l", "l"] {
                try await client.send(.windowUpdate(stream, 1))
                try await expectData(letter, end: false, client, stream)
            }
            try await client.send(.windowUpdate(stream, 1))
            try await expectData("o", end: true, client, stream)
        }
    }

    /// An answer without content needs no window.
    @Test func anEmptyAnswerEndsWithoutAWindow() async throws {
        try await withGateway(backend: Self.answering("")) { fixture async throws in
            let client = try await fixture.http2(.initialWindowSize(0))
            #expect(try await client.request("/open/x").status == 200)
        }
    }

    @Test func theConnectionsWindowHoldsForAllStreams() async throws {
        let body = String(repeating: "0123456789", count: 5000)
        try await withGateway(backend: Self.answering(body)) { fixture async throws in
            let client = try await fixture.http2(.initialWindowSize(1 << 20))
            await client.keepWindowsShut()
            let streams = [try await client.open("/open/a"), try await client.open("/open/b")]
            // 100,000 bytes wait for 65,535.
            #expect(try await count(65_535, client, streams) == 65_535)
            try await client.send(.windowUpdate(0, 50_000))
            #expect(try await count(34_465, client, streams) == 34_465)
        }
    }

    /// Bytes of content on the streams until there are `enough`, and those of a turn of the gateway's loop after that.
    private func count(_ enough: Int, _ client: HTTP2Client, _ streams: [Int]) async throws -> Int {
        var received = 0
        var turnsAfter = 0
        for _ in 0..<500 where turnsAfter < 2 {
            if received >= enough { turnsAfter += 1 }
            guard try await client.sync() else { throw Malformed("closed after \(received) bytes") }
            for stream in streams {
                for case .data(let bytes, _) in await client.ready(on: stream) { received += bytes.count }
            }
        }
        return received
    }

    // MARK: SETTINGS_INITIAL_WINDOW_SIZE (RFC 9113 section 6.9.2)

    @Test func aLargerInitialWindowCountsForOpenStreams() async throws {
        try await withGateway(backend: Self.answering("hello")) { fixture async throws in
            let (client, stream) = try await openShut(fixture, .initialWindowSize(0))
            try await client.send(.settings(.initialWindowSize(2)))
            try await expectData("he", end: false, client, stream)
            try await client.send(.settings(.initialWindowSize(65_535)))
            try await expectData("llo", end: true, client, stream)
        }
    }

    @Test func aWindowMayBecomeNegative() async throws {
        try await withGateway(backend: Self.answering("hello")) { fixture async throws in
            let (client, stream) = try await openShut(fixture, .initialWindowSize(3))
            try await expectData("hel", end: false, client, stream)
            // The window is -1 now, then 0, then 1.
            try await client.send(.settings(.initialWindowSize(2)))
            #expect(try await client.sync())
            try await client.send(.windowUpdate(stream, 1))
            #expect(try await client.sync())
            #expect(await client.ready(on: stream) == [])
            try await client.send(.windowUpdate(stream, 1))
            try await expectData("l", end: false, client, stream)
            try await client.send(.windowUpdate(stream, 1))
            try await expectData("o", end: true, client, stream)
        }
    }

    @Test func theLastOfSeveralValuesInOneFrameCounts() async throws {
        try await withGateway(backend: Self.answering("hello")) { fixture async throws in
            let client = try await fixture.http2(.initialWindowSize(100), .initialWindowSize(1))
            await client.keepWindowsShut()
            let stream = try await client.open("/open/x")
            guard case .fields = try await client.event(on: stream) else { throw Malformed("no head") }
            try await expectData("h", end: false, client, stream)
            #expect(try await client.sync())
            #expect(await client.ready(on: stream) == [])
            try await client.send(.windowUpdate(stream, 4))
            try await expectData("ello", end: true, client, stream)
        }
    }

    @Test func anInitialWindowThatOverflowsAStreamsWindowIsAConnectionError() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            let stream = try await client.open("/open/x", method: "POST", end: false)
            let most = Self.largestWindow - 65_535
            try await client.send(.windowUpdate(stream, most), .settings(.initialWindowSize(65_536)))
            try await client.expectConnectionError(.flowControlError)
        }
    }

    // MARK: WINDOW_UPDATE (RFC 9113 section 6.9)

    @Test func anIncrementOfNothingOnAStreamIsAStreamError() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            let stream = try await client.open("/open/x", method: "POST", end: false)
            try await client.send(.windowUpdate(stream, 0))
            try await client.expectStreamError(.protocolError, on: stream)
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    @Test func anIncrementOfNothingOnTheConnectionIsAConnectionError() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            try await client.send(.windowUpdate(0, 0))
            try await client.expectConnectionError(.protocolError)
        }
    }

    @Test func theReservedBitOfAnIncrementIsIgnored() async throws {
        try await withGateway(backend: Self.answering("hello")) { fixture async throws in
            let (client, stream) = try await openShut(fixture, .initialWindowSize(0))
            // The ledger has to know the increment, not the bit.
            try await client.send(.settings(.initialWindowSize(5)))
            try await client.sendRaw(HTTP2Frame.windowUpdate(stream, 0x8000_0001).bytes())
            try await expectData("hello", end: true, client, stream)
        }
    }

    @Test func theConnectionsWindowMustNotOverflow() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            try await client.send(.windowUpdate(0, Self.largestWindow))
            try await client.expectConnectionError(.flowControlError)
        }
    }

    @Test func aStreamsWindowMustNotOverflow() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            let stream = try await client.open("/open/x", method: "POST", end: false)
            try await client.send(.windowUpdate(stream, Self.largestWindow - 65_535), .windowUpdate(stream, 1))
            try await client.expectStreamError(.flowControlError, on: stream)
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    @Test func theLargestWindowsAreTaken() async throws {
        try await withGateway(backend: Self.answering("hello")) { fixture async throws in
            let (client, stream) = try await openShut(fixture, .initialWindowSize(0))
            try await client.send(.windowUpdate(0, Self.largestWindow - 65_535))
            try await client.send(.windowUpdate(stream, Self.largestWindow))
            try await expectData("hello", end: true, client, stream)
        }
    }

    // MARK: The gateway's own windows

    /// RFC 9113 section 6.9.1: more than the gateway takes.
    @Test func dataPastTheGatewaysWindowIsAFlowControlError() async throws {
        let read = Gate("the backend reads")
        let script = BackendScript { exchange in
            try await read.passed()
            try await exchange.body()
            try await exchange.sendOK()
        }
        try await withGateway(backend: script) { fixture async throws in
            let client = try await fixture.http2()
            #expect(try await client.sync())
            let stream = try await client.open("/open/x", method: "POST", end: false)
            _ = try await fixture.backend.heads.next()
            let block = [UInt8](repeating: 7, count: 16_384)
            var outcome: HTTP2Outcome?
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    // Far past any window; the gateway ends it, which may fail a write.
                    for _ in 0..<4096 {
                        guard (try? await client.raw.send(HTTP2Frame.data(stream, block).bytes())) != nil else {
                            return
                        }
                    }
                }
                outcome = try await client.outcome(of: stream)
                await client.raw.close()
                try await group.waitForAll()
            }
            switch outcome {
            case .reset(let code): #expect(code == .flowControlError)
            case .ended(let code): #expect(code == .flowControlError || code == nil)
            case .answered, nil: Issue.record("\(String(describing: outcome))")
            }
            read.open()
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    @Test func frameSizesOfTheClientAreObeyed() async throws {
        let body = String(repeating: "0123456789", count: 10_000)
        try await withGateway(backend: Self.answering(body)) { fixture async throws in
            let ordinary = try await fixture.http2(.initialWindowSize(1 << 20))
            #expect(try await ordinary.request("/open/x").body.bytes.count == 100_000)
            let larger = try await fixture.http2(.initialWindowSize(1 << 20), .maxFrameSize(1 << 20))
            #expect(try await larger.request("/open/x").body.bytes.count == 100_000)
        }
    }
}
