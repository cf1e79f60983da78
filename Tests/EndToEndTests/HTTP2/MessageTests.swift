import TestSupport
import Testing

/// Requests and their responses over HTTP/2, and HTTP/1.1 behind it (RFC 9113 section 8.1).
@Suite struct MessageTests {
    @Test func requestReachesBackendWhole() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            let fields = [("x-first", "1"), ("x-list", "a"), ("x-list", "b"), ("x-empty", "")]
            let response = try await client.request("/open/a/b?c=d&e", fields: fields)
            #expect(response.status == 200)
            #expect(response.body.text == "ok")
            let seen = try #require(fixture.backend.requests.first)
            #expect(seen.method == "GET")
            #expect(seen.target == "/open/a/b?c=d&e")
            #expect(seen.head.version == "HTTP/1.1")
            #expect(seen.fields["Host"] == ["app.test"])
            #expect(seen.fields["X-First"] == ["1"])
            #expect(seen.fields.list("X-List") == ["a", "b"])
            #expect(seen.fields["X-Empty"] == [""])
            #expect(!seen.fields.names.contains { $0.hasPrefix(":") })
            #expect(seen.head.framing == .none)
        }
    }

    @Test func headResponseHasNoContent() async throws {
        let script = BackendScript.response("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
        try await withGateway(backend: script) { fixture async throws in
            let client = try await fixture.http2()
            for _ in 0..<2 {
                let response = try await client.request("/open/x", method: "HEAD")
                #expect(response.status == 200)
                #expect(response.fields["content-length"] == ["1000"])
            }
        }
    }

    @Test func responsesOfEveryFramingArePassedOn() async throws {
        let bodies = [
            "length": "Content-Length: 5\r\n\r\nhello",
            "chunked": "Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n",
            "close": "Connection: close\r\n\r\nhello",
        ]
        let script = BackendScript { exchange in
            try await exchange.body()
            let name = exchange.head.path.split(separator: "/").last.map(String.init) ?? ""
            try await exchange.send("HTTP/1.1 200 OK\r\n" + (bodies[name] ?? "\r\n"))
            if name == "close" { await exchange.close() }
        }
        try await withGateway(backend: script) { fixture async throws in
            let client = try await fixture.http2()
            for name in bodies.keys.sorted() {
                #expect(try await client.request("/open/\(name)").body.text == "hello", "\(name)")
            }
        }
    }

    @Test func interimResponsesComeBeforeFinalOne() async throws {
        let script = BackendScript.response(
            "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        )
        try await withGateway(backend: script) { fixture async throws in
            let response = try await fixture.http2().request("/open/x")
            #expect(response.status == 200)
            #expect(response.body.text == "ok")
            #expect(response.interim.map(\.status) == [103])
            #expect(response.interim.first?.fields["link"] == ["</a>"])
        }
    }

    // MARK: Content

    /// RFC 9113 section 8.1.1. The server must see a request that breaks off: after the announced number of bytes it
    /// would act on it.
    @Test func contentOfWrongLengthAbortsRequestAtServer() async throws {
        let attempts: [(String, [(String, end: Bool)])] = [
            ("longer", [("hello", false), ("!", true)]),
            ("longer, in pieces", [("hel", false), ("lo", false), ("", false), ("!", false)]),
            ("longer in one frame", [("hel", false), ("lo!", false)]),
            ("shorter", [("hel", false), ("l", true)]),
            ("shorter by an empty frame", [("hell", false), ("", true)]),
        ]
        try await withGateway(backend: .echo) { fixture async throws in
            for (name, frames) in attempts {
                let client = try await fixture.http2()
                let length = [("content-length", "5")]
                let stream = try await client.open("/open/x", method: "POST", fields: length, end: false)
                _ = try await fixture.backend.heads.next()
                for (text, end) in frames {
                    try await client.send(.data(stream, text, end: end))
                    // Each frame is read before the next is sent.
                    if !end { #expect(try await client.sync(), "\(name)") }
                }
                guard case .reset(.protocolError) = try await client.outcome(of: stream) else {
                    Issue.record("\(name) was not reset")
                    continue
                }
                _ = try await fixture.backend.abandoned.next()
                try await client.expectAlive()
            }
            #expect(fixture.backend.requestsButCanaries.isEmpty)
        }
    }

    @Test func contentOfRightLengthMayEndWithEmptyFrame() async throws {
        try await withGateway(backend: .echo) { fixture async throws in
            let client = try await fixture.http2()
            let length = [("content-length", "5")]
            let stream = try await client.open("/open/x", method: "POST", fields: length, end: false)
            try await client.send(.data(stream, "hel"), .data(stream, "lo"), .data(stream, ""))
            #expect(try await client.sync())
            try await client.send(.data(stream, "", end: true))
            #expect(try await client.response(on: stream).body.text == "hello")
            let trailed = try await client.open(
                "/open/x",
                method: "POST",
                fields: length,
                body: Array("hello".utf8),
                trailers: [("x-sum", "1")]
            )
            #expect(try await client.response(on: trailed).body.text == "hello")
        }
    }

    @Test func contentIsStreamedBeforeRequestEnds() async throws {
        let arrived = Mailbox<[UInt8]>("the first piece")
        let script = BackendScript { exchange in
            guard let piece = try await exchange.pieceOfBody() else { return }
            arrived.put(piece)
            try await exchange.body()
            try await exchange.sendOK()
        }
        try await withGateway(backend: script) { fixture async throws in
            let client = try await fixture.http2()
            let stream = try await client.open("/open/x", method: "POST", fields: [("content-length", "9")], end: false)
            try await client.send(.data(stream, "first"))
            #expect(try await arrived.next().text == "first")
            await client.raw.close()
        }
    }

    @Test func responseIsStreamedBeforeItEnds() async throws {
        let more = Gate("the client has the beginning")
        let script = BackendScript { exchange in
            try await exchange.body()
            try await exchange.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfirst")
            try await more.passed()
            try await exchange.send("later")
        }
        try await withGateway(backend: script) { fixture async throws in
            let client = try await fixture.http2()
            let stream = try await client.open("/open/x")
            guard case .fields(_, end: false) = try await client.event(on: stream) else { throw Malformed("no head") }
            #expect(try await client.event(on: stream) == .data(Array("first".utf8), end: false))
            more.open()
            guard case .data(let bytes, _) = try await client.event(on: stream) else { throw Malformed("no more") }
            #expect(bytes.text == "later")
        }
    }

    @Test func responseMayPrecedeEndOfRequest() async throws {
        let script = BackendScript { exchange in
            exchange.skipBody()
            try await exchange.send("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno")
            await exchange.close()
        }
        try await withGateway(backend: script) { fixture async throws in
            let client = try await fixture.http2()
            let stream = try await client.open("/open/x", method: "POST", end: false)
            let response = try await client.response(on: stream)
            #expect(response.status == 413)
            #expect(response.body.text == "no")
            // What the client still sends is harmless.
            try await client.send(.data(stream, "late", end: true))
            #expect(try await client.sync())
        }
    }

    // MARK: Trailers

    @Test func trailersArePassedOnBothWays() async throws {
        let script = BackendScript { exchange in
            try await exchange.body()
            try await exchange.send("HTTP/1.1 200 OK\r\nTrailer: X-Sum\r\nTransfer-Encoding: chunked\r\n\r\n")
            try await exchange.send("2\r\nok\r\n0\r\nX-Sum: 7\r\n\r\n")
        }
        try await withGateway(backend: script) { fixture async throws in
            let client = try await fixture.http2()
            let fields = [("te", "trailers"), ("trailer", "x-check")]
            let response = try await client.request(
                "/open/x",
                method: "POST",
                fields: fields,
                body: Array("hello".utf8),
                trailers: [("x-check", "42")]
            )
            #expect(response.body.text == "ok")
            #expect(response.body.trailers["x-sum"] == ["7"])
            let seen = try #require(fixture.backend.requests.first)
            #expect(seen.body.text == "hello")
            #expect(seen.body.trailers["x-check"] == ["42"])
            #expect(seen.head.framing == .chunked)
        }
    }

    @Test func invalidTrailersAreMalformed() async throws {
        let bad = [
            (":path", "/open/second"), (":status", "200"), (":x", "1"), ("X-Upper", "1"), ("connection", "close"),
            ("x\r\ny", "1"), ("x-a", "1\r\n\r\nGET /open/smuggled HTTP/1.1"), ("", "1"), ("x-a", "\u{0}"),
        ]
        try await withGateway { fixture async throws in
            for field in bad {
                let client = try await fixture.http2()
                let stream = try await client.open(
                    "/open/x",
                    method: "POST",
                    body: Array("hello".utf8),
                    trailers: [field]
                )
                try await client.expectMalformed(on: stream, comment: "\(field)")
            }
            #expect(fixture.backend.requestsButCanaries.isEmpty)
        }
    }

    /// Framing, routing and identity cannot come after the content (RFC 9110 section 6.5.1).
    @Test func trailersDoNotChangeRequest() async throws {
        let setup = GatewaySetup(tenant: "identity: { headers: { X-User-Id: sub } }")
        try await withGateway(setup) { fixture async throws in
            for field in [
                ("content-length", "3"), ("host", "other.test"), ("x-user-id", "root"), ("authorization", "x"),
            ] {
                let client = try await fixture.http2()
                let stream = try await client.open(
                    "/open/x",
                    method: "POST",
                    body: Array("hello".utf8),
                    trailers: [field]
                )
                _ = try await client.outcome(of: stream)
            }
            for request in fixture.backend.requests {
                #expect(request.body.trailers.names == [])
                #expect(request.body.text == "hello")
            }
        }
    }
}
