import TestSupport
import Testing
import Verification

/// The request is replayed unchanged, or its 401 is passed on with the new token.
@Suite struct ReplayTests {
    private static let small = GatewaySetup.refreshing(tenant: "limits: { replay_bytes: 1KiB }")

    /// Expects that the last two requests, apart from the refresh, are a request and its replay.
    private func expectReplayed(
        _ fixture: GatewayFixture,
        _ session: SampleSession,
        of body: [UInt8],
        _ comment: String
    ) throws {
        let requests = fixture.backend.requests.filter { $0.head.path != RefreshingBackend.refreshPath }.suffix(2)
        let first = try #require(requests.first)
        let last = try #require(requests.last)
        #expect(first.fields["Authorization"] == ["Bearer \(session.old)"], "\(comment)")
        #expect(first.method == last.method && first.target == last.target, "\(comment)")
        #expect(first.head.framing == last.head.framing, "\(comment)")
        #expect(first.body.bytes == body && last.body.bytes == body, "\(comment)")
        #expect(first.body.trailers.description == last.body.trailers.description, "\(comment)")
        #expect(last.fields["Authorization"] == ["Bearer \(session.new)"], "\(comment)")
    }

    @Test(arguments: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
    func everyMethodIsReplayed(_ method: String) async throws {
        try await withEndedSession(giving: .token) { fixture, _, session async throws in
            let response = try await fixture.request("/x", method: method, token: session.old)
            #expect(response.status == 200)
            #expect(response.body.text == (method == "HEAD" ? "" : "ok"))
            expectDelivered(response, session.new)
            try expectReplayed(fixture, session, of: [], method)
        }
    }

    @Test func replayCountsOnceAgainstRateLimit() async throws {
        let setup = GatewaySetup.refreshing(tenant: "rate_limits: [{ by: subject, rate: 1/h, burst: 1 }]")
        try await withEndedSession(setup, giving: .token) { fixture, _, session async throws in
            let response = try await fixture.request("/x", token: session.old)
            #expect(response.status == 200)
            expectDelivered(response, session.new)
            try expectReplayed(fixture, session, of: [], "limited")
            expectRefusal(try await fixture.request("/x", token: session.new), 429, "rate_limited")
        }
    }

    @Test func chunkedBodyIsReplayedWithTrailers() async throws {
        try await withEndedSession(giving: .token) { fixture, _, session async throws in
            let fields = ["Transfer-Encoding: chunked", "Trailer: X-Sum"]
            let head = fixture.head("/x", method: "POST", token: session.old, fields: fields)
            let body = "5;a=b\r\nhello\r\n6\r\n world\r\n0\r\nX-Sum: 42\r\n\r\n"
            let client = try await fixture.connect()
            try await client.send(head)
            try await client.drip(body)
            let response = try await client.response(to: "POST")
            #expect(response.status == 200)
            expectDelivered(response, session.new)
            try expectReplayed(fixture, session, of: Array("hello world".utf8), "chunked")
        }
    }

    @Test(arguments: ["length", "chunked"])
    func oversizedBodyIsNotReplayedButTokenIsDelivered(_ framing: String) async throws {
        try await withEndedSession(Self.small, giving: .token) { fixture, _, session async throws in
            var random = SplitMix64(seed: 6)
            let response = try await put(fixture, session, random.variedBytes(1025), isChunked: framing == "chunked")
            expectBackendsRefusal(response)
            expectDelivered(response, session.new)
            #expect(fixture.visits(session) == ["PUT /x old", "POST /auth/refresh old"])
            let line = try await fixture.accessLog.next()
            #expect(line["refreshed"] == true && line["refresh"] == "not_replayable")
            #expect(line["refresh_reason"] == "body_too_large")
        }
    }

    private func put(
        _ fixture: GatewayFixture,
        _ session: SampleSession,
        _ body: [UInt8],
        isChunked: Bool
    ) async throws -> RawResponse {
        let field = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: \(body.count)"
        let client = try await fixture.connect()
        try await client.send(fixture.head("/x", method: "PUT", token: session.old, fields: [field]))
        if isChunked {
            try await client.send("1\r\n")
            try await client.send([body[0]])
            try await client.send("\r\n" + String(body.count - 1, radix: 16) + "\r\n")
            try await client.send(Array(body.dropFirst()))
            try await client.send("\r\n0\r\n\r\n")
        } else {
            try await client.send(body)
        }
        return try await client.response(to: "PUT")
    }

    @Test func connectionContinuesAfterReplay() async throws {
        try await withEndedSession(giving: .token) { fixture, _, session async throws in
            let client = try await fixture.connect()
            for turn in 0..<3 {
                let head = fixture.head("/\(turn)", method: "POST", token: session.old, fields: ["Content-Length: 2"])
                let response = try await client.request(head + "ab", method: "POST")
                #expect(response.status == 200, "\(turn)")
                expectDelivered(response, session.new, "\(turn)")
                try expectReplayed(fixture, session, of: Array("ab".utf8), "\(turn)")
                #expect(try await client.request(fixture.head("/open/\(turn)")).body.text == "ok", "\(turn)")
            }
            #expect(fixture.refreshCalls.count == 1)
        }
    }

    @Test func pipelinedResponsesKeepOrder() async throws {
        let names = BackendScript { exchange in
            let body = try await exchange.body()
            try await exchange.sendOK(exchange.head.target + body.text)
        }
        try await withEndedSession(otherwise: names, giving: .token) { fixture, _, session async throws in
            let client = try await fixture.connect()
            try await client.send(
                fixture.head("/1", token: session.old) + fixture.head("/open/2")
                    + fixture.head("/3", method: "POST", token: session.old, fields: ["Content-Length: 3"]) + "abc"
                    + fixture.head("/4", token: session.new)
                    + fixture.head("/5", token: session.old, fields: ["Connection: close"])
            )
            for expected in ["/1", "/open/2", "/3abc", "/4", "/5"] {
                let response = try await client.response()
                #expect(response.status == 200 && response.body.text == expected)
                if ["/open/2", "/4"].contains(expected) {
                    expectNothingDelivered(response, expected)
                } else {
                    expectDelivered(response, session.new, expected)
                }
            }
            #expect(try await client.untilClosed().isEmpty)
            #expect(fixture.refreshCalls.count == 1)
        }
    }

    @Test func responseToReplayIsStreamed() async throws {
        let more = Gate("the rest of the answer")
        let good = BackendScript { exchange in
            try await exchange.body()
            try await exchange.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n")
            try await more.passed()
            try await exchange.send("3\r\ntwo\r\n0\r\n\r\n")
        }
        try await withEndedSession(otherwise: good, giving: .token) { fixture, _, session async throws in
            let client = try await fixture.connect()
            try await client.send(fixture.head("/x", token: session.old))
            let head = try await client.head()
            expectDelivered(head, session.new)
            more.open()
            #expect(try await client.body(head.framing).text == "onetwo")
        }
    }
}
