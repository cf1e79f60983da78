import Crypto
import Foundation
import TestSupport
import Testing
import Verification

/// Refreshing with HTTP/2 on either side, and for WebSockets.
@Suite struct RefreshProtocolTests {
    @Test func http2StreamIsReplayedWithBody() async throws {
        let names = BackendScript { exchange in
            let body = try await exchange.body()
            try await exchange.sendOK(body.text)
        }
        try await withEndedSession(otherwise: names, giving: .token) { fixture, _, session async throws in
            let client = try await fixture.http2()
            let response = try await client.request(
                "/x?y",
                method: "POST",
                fields: [("authorization", "Bearer \(session.old)"), ("x-own", "1")],
                body: Array("hello".utf8),
                trailers: [("x-sum", "42")]
            )
            #expect(response.status == 200 && response.body.text == "hello")
            expectDelivered(response, session.new)
            #expect(fixture.visits(session) == ["POST /x?y old", "POST /auth/refresh old", "POST /x?y new"])
            let (first, last) = (fixture.backend.requests[0], fixture.backend.requests[2])
            #expect(last.body.text == "hello" && last.fields["X-Own"] == ["1"])
            #expect(last.body.trailers.description == first.body.trailers.description)
            #expect(last.head.framing == first.head.framing)
        }
    }

    @Test func streamsOfOneConnectionShareRefresh() async throws {
        let gate = Gate("the refresh")
        try await withEndedSession { fixture, stub, session async throws in
            let answer = #"{"token":"\#(session.new)"}"#
            stub.onRefresh { exchange in
                try await gate.passed()
                try await exchange.sendOK(answer)
            }
            let client = try await fixture.http2()
            let fields = [("authorization", "Bearer \(session.old)")]
            var streams: [Int] = []
            for index in 0..<6 { streams.append(try await client.open("/\(index)", fields: fields)) }
            for _ in 0..<7 { _ = try await fixture.backend.arrivals.next() }
            // Others are not held up.
            #expect(try await client.request("/open/x").status == 200)
            gate.open()
            for stream in streams {
                let response = try await client.response(on: stream)
                #expect(response.status == 200)
                expectDelivered(response, session.new)
            }
            #expect(fixture.refreshCalls.count == 1)
        }
    }

    @Test func expiredTokenOfStreamIsReplacedBeforeForwarding() async throws {
        try await withStub(.refreshing("grace: 1h")) { fixture, stub async throws in
            let session = try fixture.session(["exp": TestIssuer.fromNow(-300)])
            stub.give(token: session.new)
            let client = try await fixture.http2()
            var random = SplitMix64(seed: 9)
            let body = random.variedBytes(100_000)
            let response = try await client.request(
                "/x",
                method: "POST",
                fields: [("authorization", "Bearer \(session.old)")],
                body: body
            )
            #expect(response.status == 200)
            expectDelivered(response, session.new)
            #expect(fixture.visits(session) == ["POST /auth/refresh old", "POST /x new"])
            #expect(fixture.backend.requests.last?.body.bytes == body)
        }
    }

    // MARK: A backend that speaks HTTP/2

    private func withBackend(
        _ test: (GatewayFixture, HTTP2Backend, RefreshingBackend, SampleSession) async throws -> Void
    ) async throws {
        let stub = RefreshingBackend()
        let responses = Mailbox<String>("the answer to a refresh")
        try await withHTTP2Backend(
            { call in
                let body = try await call.body()
                let token = call.fields.first(name: "authorization") ?? ""
                if call.path == RefreshingBackend.refreshPath {
                    try await call.respond(try await responses.next())
                } else if stub.isPast(token) {
                    try await call.head(401, [("x-of-the-backend", "1")])
                    // The gateway may have reset the stream already: it wants another response.
                    try? await call.data(Array("past".utf8), end: true)
                } else {
                    try await call.respond("good" + body.bytes.text)
                }
            },
            tenant: GatewaySetup.refreshing().tenant
        ) { fixture, backend async throws in
            let session = try fixture.session()
            stub.end(session.old)
            responses.put(#"{"token":"\#(session.new)"}"#)
            try await test(fixture, backend, stub, session)
        }
    }

    @Test func requestToHTTP2BackendIsReplayed() async throws {
        try await withBackend { fixture, backend, _, session async throws in
            let head = fixture.head("/x", method: "POST", token: session.old, fields: ["Content-Length: 5"])
            let response = try await fixture.send(head + "hello", method: "POST")
            #expect(response.status == 200 && response.body.text == "goodhello")
            expectDelivered(response, session.new)
            let calls = [
                try await backend.calls.next(), try await backend.calls.next(), try await backend.calls.next(),
            ]
            #expect(calls.map(\.path) == ["/x", RefreshingBackend.refreshPath, "/x"])
            let tokens = [session.old, session.old, session.new].map { "Bearer \($0)" }
            #expect(calls.map { $0.fields.first(name: "authorization") } == tokens)
        }
    }

    @Test func replayWorksWithHTTP2OnBothSides() async throws {
        try await withBackend { fixture, backend, _, session async throws in
            let client = try await fixture.http2()
            let fields = [("authorization", "Bearer \(session.old)")]
            for _ in 0..<2 {
                let response = try await client.request("/x", method: "POST", fields: fields, body: Array("ab".utf8))
                #expect(response.status == 200 && response.body.text == "goodab")
                expectDelivered(response, session.new)
            }
            #expect(backend.requests == 5)
        }
    }

    @Test func secondUnauthorizedOfHTTP2BackendIsPassedOn() async throws {
        try await withBackend { fixture, backend, stub, session async throws in
            stub.end(session.new)
            let response = try await fixture.request("/x", token: session.old)
            #expect(response.status == 401 && response.body.text == "past")
            #expect(response.fields["X-Of-The-Backend"] == ["1"])
            expectDelivered(response, session.new)
            #expect(backend.requests == 3)
        }
    }

    // MARK: WebSockets

    @Test func refusedHandshakeIsReplayedAndTunnels() async throws {
        let upstream = TunnelBackend(fields: "X-Own: 1\r\n")
        try await withEndedSession(otherwise: upstream.script, giving: .token) { fixture, _, session async throws in
            try await fixture.withTunnel(upstream, "/socket", token: session.old) { tunnel async throws in
                try await tunnel.expectOpen()
                #expect(tunnel.client.response.fields["X-Refreshed-Token"] == [session.new])
                #expect(tunnel.client.response.fields["X-Own"] == ["1"])
                #expect(tunnel.server.head.fields["Authorization"] == ["Bearer \(session.new)"])
                #expect(tunnel.server.head.fields["Sec-WebSocket-Key"] == [Handshake.key])
                #expect(fixture.visits(session) == ["GET /socket old", "POST /auth/refresh old", "GET /socket new"])
            }
        }
    }

    @Test func expiredTokenIsReplacedBeforeHandshake() async throws {
        let upstream = TunnelBackend()
        try await withStub(.refreshing("grace: 1h"), otherwise: upstream.script) { fixture, stub async throws in
            let session = try fixture.session(["exp": TestIssuer.fromNow(-300)])
            stub.give(token: session.new)
            try await fixture.withTunnel(upstream, "/socket", token: session.old) { tunnel async throws in
                try await tunnel.expectOpen()
                #expect(tunnel.client.response.fields["X-Refreshed-Token"] == [session.new])
                #expect(tunnel.server.head.fields["Authorization"] == ["Bearer \(session.new)"])
            }
        }
    }

    /// Grants every WebSocket and sends back what comes (RFC 6455 section 4.2.2).
    private static let parrot = BackendScript { exchange in
        try await exchange.body()
        let key = exchange.head.fields["Sec-WebSocket-Key"].first ?? ""
        let digest = Insecure.SHA1.hash(data: Data("\(key)258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8))
        try await exchange.send(Handshake.granted(accept: Data(digest).base64EncodedString()))
        while let piece = try await exchange.pieceOfBody() { try await exchange.send(piece) }
    }

    /// RFC 8441.
    @Test func refusedHandshakeOnStreamIsReplayedAndTunnels() async throws {
        try await withEndedSession(otherwise: Self.parrot, giving: .token) { fixture, _, session async throws in
            let client = try await fixture.http2()
            let fields = [
                (":method", "CONNECT"), (":protocol", "websocket"), (":scheme", "http"), (":path", "/socket"),
                (":authority", "app.test"), ("sec-websocket-version", "13"), ("authorization", "Bearer \(session.old)"),
            ]
            let stream = await client.newStream()
            try await client.send(.headers(stream, HeaderBlock(fields: fields), end: false))
            guard case .fields(let response, let end) = try await client.event(on: stream) else {
                Issue.record("no answer")
                return
            }
            #expect(response[":status"] == ["200"] && !end)
            #expect(response["x-refreshed-token"] == [session.new])
            #expect(response["access-control-expose-headers"] == ["X-Refreshed-Token"])
            let frame = WebSocketFrame.fromClient("hello").bytes
            try await client.sendBody(frame, on: stream, end: false)
            guard case .data(let bytes, _) = try await client.event(on: stream) else {
                Issue.record("no echo")
                return
            }
            #expect(bytes == frame)
            #expect(fixture.visits(session) == ["GET /socket old", "POST /auth/refresh old", "GET /socket new"])
        }
    }

    @Test func handshakeWhoseSessionIsOverIsRefused() async throws {
        let upstream = TunnelBackend()
        try await withEndedSession(otherwise: upstream.script) { fixture, stub, session async throws in
            stub.give(["error": "invalid_grant"], status: 400)
            let client = try await fixture.connect()
            try await client.send(fixture.head("/socket", token: session.old, fields: Handshake.fields))
            expectBackendsRefusal(try await client.response())
            // An ordinary connection, and goes on as one.
            #expect(try await client.request(fixture.head("/open/x")).status == 200)
        }
    }
}
