import TestSupport
import Testing

/// The effect of frames on the client, its other streams and the backend. Which frames are errors, and of which kind,
/// is tested with the session (`HTTPCoreTests/HTTP2`).
@Suite struct FrameTests {
    private static let post = HeaderBlock(fields: HTTP2Client.fields("/open/x", method: "POST"))

    // MARK: Errors

    @Test func connectionErrorSendsGoAwayAndReachesNoBackend() async throws {
        try await withGateway { fixture async throws in
            for frame in [
                HTTP2Frame.ping([1, 2, 3, 4, 5, 6, 7, 8]), .headers(3, Self.post), .continuation(3, Self.post),
            ] {
                let client = try await fixture.http2()
                try await client.send(.headers(1, Self.post, complete: false), frame)
                try await client.expectConnectionError(.protocolError, comment: "\(frame)")
            }
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    @Test func streamErrorResetsItsStreamAlone() async throws {
        let response = Gate("the backend answers")
        try await withGateway(backend: .ok(after: response, at: "/open/held")) { fixture async throws in
            let client = try await fixture.http2()
            let stream = try await client.open("/open/held", method: "POST", body: Array("hello".utf8))
            _ = try await fixture.backend.arrivals.next()
            try await client.send(.data(stream, "more", end: true))
            try await client.expectStreamError(.streamClosed, on: stream)
            #expect(fixture.backend.requestsButCanaries.map(\.body.text) == ["hello"])
            response.open()
        }
    }

    @Test func resetStreamIsAbandonedAtBackend() async throws {
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

    @Test func clientThatSendsGoAwayStillGetsResponses() async throws {
        let response = Gate("the backend answers")
        try await withGateway(backend: .ok(after: response)) { fixture async throws in
            for code in [HTTP2ErrorCode.noError, HTTP2ErrorCode(rawValue: 0xcafe)] {
                let client = try await fixture.http2()
                let stream = try await client.open("/open/x")
                _ = try await fixture.backend.arrivals.next()
                try await client.send(.goAway(code, debug: "so long"))
                response.open()
                #expect(try await client.response(on: stream).status == 200, "\(code)")
            }
        }
    }

    // MARK: Fields

    /// A refused request has changed the table of the connection all the same.
    @Test func headerTableOutlivesRefusal() async throws {
        let request =
            HeaderBlock.indexed(StaticIndex.methodGET) + .indexed(StaticIndex.schemeHTTP)
            + .withoutIndexing(nameIndex: StaticIndex.path, "/open/x")
            + .withoutIndexing(nameIndex: StaticIndex.authority, "app.test")
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            let refused = await client.newStream()
            try await client.send(.headers(refused, request + .incremental("x-a", "kept") + .neverIndexed("te", "x")))
            try await client.expectMalformed(on: refused)
            let stream = await client.newStream()
            try await client.send(.headers(stream, request + .indexed(StaticIndex.last + 1)))
            #expect(try await client.response(on: stream).status == 200)
            #expect(fixture.backend.requests.last?.fields["x-a"] == ["kept"])
        }
    }

    /// The gateway's table for responses is never larger than the client allows (RFC 7541 section 4.2).
    @Test func zeroHeaderTableSizeIsObeyed() async throws {
        let script = BackendScript.response("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-Same: again\r\n\r\n")
        try await withGateway(backend: script) { fixture async throws in
            let client = try await fixture.http2(.headerTableSize(0))
            for _ in 0..<3 {
                #expect(try await client.request("/open/x").fields["x-same"] == ["again"])
            }
        }
    }

    /// The client's limit on field sections is advice; a head past it may be sent or the stream be reset.
    @Test func clientsHeaderListLimitKeepsConnection() async throws {
        let long = String(repeating: "a", count: 2000)
        let script = BackendScript { exchange in
            try await exchange.body()
            let isCanary = exchange.head.path == "/open/canary"
            try await exchange.sendOK(fields: isCanary ? "" : "X-Long: \(long)\r\n")
        }
        try await withGateway(backend: script) { fixture async throws in
            let client = try await fixture.http2(.maxHeaderListSize(1000))
            switch try await client.outcome(of: try await client.open("/open/x")) {
            case .response(let response): #expect(response.status == 502 || response.fields["x-long"] == [long])
            case .reset(let code): #expect(code != .noError)
            case .ended: Issue.record("the connection ended")
            }
            try await client.expectAlive()
        }
    }

    // MARK: Content

    @Test func requestArrivesByteByByte() async throws {
        try await withGateway(backend: .echo) { fixture async throws in
            let client = try await fixture.http2()
            let stream = await client.newStream()
            try await client.drip(
                .headers(stream, Self.post, end: false),
                .data(stream, "he", padding: 3),
                .data(stream, "llo", end: true)
            )
            #expect(try await client.response(on: stream).body.text == "hello")
        }
    }

    /// Padding counts for flow control; if it were not given back, the windows would run dry.
    @Test func paddingIsCreditedToWindows() async throws {
        try await withGateway(backend: .echo) { fixture async throws in
            let client = try await fixture.http2()
            let stream = try await client.open("/open/x", method: "POST", end: false)
            let body = [UInt8](repeating: 7, count: 2000)
            try await client.sendBody(body, on: stream, pieces: 1, padding: 255)
            #expect(try await client.response(on: stream).body.bytes == body)
        }
    }

    @Test func largeBodyArrivesWhole() async throws {
        try await withGateway(backend: .echo) { fixture async throws in
            var generator = SplitMix64(seed: 61)
            let body = generator.variedBytes(3 << 20)
            let client = try await fixture.http2()
            let stream = try await client.open("/open/x", method: "POST", body: body)
            let same = try await client.response(on: stream).body.bytes == body
            #expect(same)
        }
    }

    /// ``HTTP2Ledger`` counts along: one byte past a window fails any test.
    @Test func responseWaitsForWindow() async throws {
        let script = BackendScript.response("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
        try await withGateway(backend: script) { fixture async throws in
            let client = try await fixture.http2()
            await client.keepWindowsShut()
            try await client.send(.settings(.initialWindowSize(0)))
            let stream = try await client.open("/open/x")
            guard case .fields(_, end: false) = try await client.event(on: stream) else { throw Malformed("no head") }
            #expect(try await client.sync())
            #expect(await client.ready(on: stream) == [])
            for (increment, text, end) in [(1, "h", false), (2, "el", false), (1000, "lo", true)] {
                try await client.send(.windowUpdate(stream, increment))
                var received = ""
                var isOver = false
                while received.utf8.count < text.utf8.count || isOver != end {
                    guard case .data(let bytes, let last) = try await client.event(on: stream) else {
                        throw Malformed("no more content after \(received)")
                    }
                    received += bytes.text
                    isOver = last
                }
                #expect(received == text)
            }
        }
    }
}
