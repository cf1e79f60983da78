import NIOCore
import TestSupport
import Testing

/// Frames that cost the sender little and the receiver something, over and over (RFC 9113 section 10.5): the gateway
/// ends the connection after a bounded number, and other clients are still served.
@Suite struct FloodTests {
    private static let request = HeaderBlock(fields: HTTP2Client.fields("/open/x"))

    /// Sends one write of `frames` after another until the gateway ends the connection, and expects it to do so before
    /// `writes` of them.
    ///
    /// - Parameter codes: Allowed in its GOAWAY, which may be lost with the connection.
    private func expectEnd(
        _ fixture: GatewayFixture,
        _ client: HTTP2Client,
        writes: Int,
        codes: HTTP2ErrorCode...,
        sourceLocation: SourceLocation = #_sourceLocation,
        frames: @escaping @Sendable (Int) -> [HTTP2Frame]
    ) async throws {
        let sent = Tally()
        let code = try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for number in 0..<writes {
                    let bytes = frames(number).flatMap { $0.bytes() }
                    guard (try? await client.raw.send(bytes)) != nil else { return }
                    sent.add(1)
                }
                // The gateway must close now, not with an idle timeout.
                try? await client.raw.closeOutput()
            }
            let code = try await lastCode(client)
            await client.raw.close()
            try await group.waitForAll()
            return code
        }
        #expect(sent.value < writes || code != nil, sourceLocation: sourceLocation)
        #expect(code.map(codes.contains) ?? true, "\(String(describing: code))", sourceLocation: sourceLocation)
        #expect(try await fixture.request("/open/canary").status == 200, sourceLocation: sourceLocation)
        try await fixture.http2().expectAlive(sourceLocation: sourceLocation)
    }

    /// The error of the last GOAWAY, once the connection is over; nil for none and for NO_ERROR.
    private func lastCode(_ client: HTTP2Client) async throws -> HTTP2ErrorCode? {
        var code: HTTP2ErrorCode?
        while let frame = try await client.nextFrame() {
            if case .goAway(_, let last) = try HTTP2Event.of(frame), last != .noError { code = last }
        }
        return code
    }

    // MARK: Field sections

    @Test func continuationsWithoutEndAreBounded() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            let piece = HeaderBlock(fields: [("x-a", String(repeating: "a", count: 1000))])
            try await client.raw.send(HTTP2Frame.headers(1, Self.request, complete: false).bytes())
            try await expectEnd(fixture, client, writes: 10_000, codes: .enhanceYourCalm, .protocolError) { _ in
                [.continuation(1, piece, complete: false)]
            }
            #expect(fixture.backend.requestsButCanaries.isEmpty)
        }
    }

    @Test func emptyContinuationsAreBoundedToo() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            try await client.raw.send(HTTP2Frame.headers(1, Self.request, complete: false).bytes())
            let empty = [HTTP2Frame](repeating: .continuation(1, HeaderBlock(), complete: false), count: 100)
            try await expectEnd(fixture, client, writes: 1000, codes: .enhanceYourCalm, .protocolError) { _ in empty }
            #expect(fixture.backend.requestsButCanaries.isEmpty)
        }
    }

    @Test func continuationsOfLateTrailersAreBounded() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            let stream = try await client.open("/open/x", method: "POST", end: false)
            try await client.raw.send(HTTP2Frame.headers(stream, HeaderBlock(), complete: false).bytes())
            let piece = HeaderBlock(fields: [("x-a", String(repeating: "a", count: 1000))])
            try await expectEnd(fixture, client, writes: 10_000, codes: .enhanceYourCalm, .protocolError) { _ in
                [.continuation(stream, piece, complete: false)]
            }
            #expect(fixture.backend.requestsButCanaries.isEmpty)
        }
    }

    // MARK: Streams

    /// Requests that are taken back at once, so that the limit on concurrent streams never holds.
    @Test func rapidResetsAreBounded() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            let writes = 5000
            try await expectEnd(fixture, client, writes: writes, codes: .enhanceYourCalm) { number in
                [.headers(number * 2 + 1, Self.request), .reset(number * 2 + 1)]
            }
            #expect(fixture.backend.connections < writes / 2)
        }
    }

    /// The same, but it is the gateway that resets, made to do so by a stream error of the client's.
    @Test func provokedResetsAreBounded() async throws {
        let errors: [@Sendable (Int) -> HTTP2Frame] = [
            { .windowUpdate($0, 0) }, { .windowUpdate($0, 0x7fff_ffff) }, { .priority($0, on: $0) }, { .data($0, "x") },
            { .headers($0, Self.request) },
        ]
        try await withGateway { fixture async throws in
            for error in [errors[0], errors[1], errors[3], errors[4]] {
                let client = try await fixture.http2()
                try await expectEnd(
                    fixture,
                    client,
                    writes: 5000,
                    codes: .enhanceYourCalm,
                    .protocolError,
                    .flowControlError,
                    .streamClosed
                ) { number in
                    [.headers(number * 2 + 1, Self.request), error(number * 2 + 1)]
                }
            }
        }
    }

    @Test func malformedRequestsAreBounded() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            let malformed = Self.request + .neverIndexed("connection", "close")
            try await expectEnd(fixture, client, writes: 5000, codes: .enhanceYourCalm, .protocolError) { number in
                [.headers(number * 2 + 1, malformed)]
            }
            #expect(fixture.backend.requestsButCanaries.isEmpty)
        }
    }

    @Test func streamsPastLimitAreBounded() async throws {
        let script = BackendScript { exchange in
            if exchange.head.path == "/open/canary" { return try await exchange.sendOK() }
            // Never answered.
            try await exchange.body()
            try await exchange.gone()
        }
        try await withGateway(backend: script) { fixture async throws in
            let client = try await fixture.http2()
            try await expectEnd(
                fixture,
                client,
                writes: 1000,
                codes: .enhanceYourCalm,
                .refusedStream,
                .protocolError
            ) { number in
                (0..<10).map { .headers((number * 10 + $0) * 2 + 1, Self.request) }
            }
            #expect(fixture.backend.connections <= 102)
        }
    }

    // MARK: Frames of the connection

    @Test(arguments: [
        "SETTINGS", "PING", "PRIORITY", "WINDOW_UPDATE", "unknown", "RST_STREAM", "empty SETTINGS", "GOAWAY",
    ])
    func framesOfConnectionAreBounded(name: String) async throws {
        let frames: [String: HTTP2Frame] = [
            "SETTINGS": .settings(.initialWindowSize(70_000), .maxFrameSize(20_000)),
            "empty SETTINGS": .settings(),
            "PING": .ping([1, 2, 3, 4, 5, 6, 7, 8]),
            "PRIORITY": .priority(101, on: 0),
            "WINDOW_UPDATE": .windowUpdate(0, 1),
            "unknown": HTTP2Frame(type: .unknown, payload: [1, 2, 3]),
            "RST_STREAM": .reset(1),
            "GOAWAY": .goAway(),
        ]
        let frame = try #require(frames[name])
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            #expect(try await client.request("/open/x").status == 200)
            let many = [HTTP2Frame](repeating: frame, count: 100)
            try await expectEnd(fixture, client, writes: 1000, codes: .enhanceYourCalm, .protocolError) { _ in many }
        }
    }

    /// Acknowledgements may not pile up for a client that does not read.
    @Test(arguments: ["SETTINGS", "PING"])
    func acknowledgementsToClientThatDoesNotReadAreBounded(name: String) async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.http2(receiveBuffer: 16 << 10)
            let frame: HTTP2Frame = name == "PING" ? .ping([0, 0, 0, 0, 0, 0, 0, 0]) : .settings()
            let bytes = [HTTP2Frame](repeating: frame, count: 1000).flatMap { $0.bytes() }
            // 1,000,000 frames, unless the gateway ends the connection first, or does not read on.
            for _ in 0..<1000 {
                guard (try? await client.raw.send(bytes, within: .seconds(5))) != nil else { break }
            }
            let code = try await lastCode(client)
            #expect(code == .enhanceYourCalm || code == nil)
            #expect(try await fixture.request("/open/canary").status == 200)
        }
    }

    // MARK: Content

    @Test func emptyDataFramesAreBounded() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            let stream = try await client.open("/open/x", method: "POST", end: false)
            let empty = [HTTP2Frame](repeating: .data(stream, ""), count: 100)
            try await expectEnd(fixture, client, writes: 1000, codes: .enhanceYourCalm, .protocolError) { _ in empty }
            #expect(fixture.backend.requestsButCanaries.isEmpty)
        }
    }
}
