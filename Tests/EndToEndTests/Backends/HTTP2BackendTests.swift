import NIOHPACK
import NIOHTTP2
import TestSupport
import Testing

/// Messages to and from a server that speaks HTTP/2 (`h2c`), whatever the client speaks.
@Suite struct HTTP2BackendTests {
    private static let echo: HTTP2Backend.Script = { call in
        try await call.head(200)
        while let part = try await call.next() {
            switch part {
            case .data(let bytes): try await call.data(bytes)
            case .trailers: break
            }
        }
        try await call.data([], end: true)
    }

    @Test func bodiesPassBothWaysAtOnce() async throws {
        var random = SplitMix64(seed: 1)
        let bytes = random.variedBytes(1 << 20)
        try await withHTTP2Backend(Self.echo) { fixture, backend async throws in
            for field in ["Content-Length: \(bytes.count)", "Transfer-Encoding: chunked"] {
                let client = try await fixture.connect()
                let isChunked = field.hasPrefix("T")
                async let sent: Void = {
                    try await client.send(fixture.head("/open/x", method: "POST", fields: [field]))
                    if isChunked { try await client.send("100000\r\n") }
                    try await client.send(bytes)
                    if isChunked { try await client.send("\r\n0\r\n\r\n") }
                }()
                let response = try await client.response(to: "POST")
                try await sent
                #expect(response.body.bytes == bytes, "\(field)")
            }
            let client = try await fixture.http2()
            #expect(try await client.request("/open/x", method: "POST", body: Array("hello".utf8)).body.text == "hello")
            #expect(backend.connections == 1)
        }
    }

    @Test func bodyIsStreamed() async throws {
        try await withHTTP2Backend(Self.echo) { fixture, _ async throws in
            let client = try await fixture.connect()
            try await client.send(fixture.head("/open/x", method: "POST", fields: ["Transfer-Encoding: chunked"]))
            #expect(try await client.head(to: "POST").status == 200)
            // Each is echoed before the next is sent.
            for piece in ["one", "two", "six"] {
                try await client.send("3\r\n\(piece)\r\n")
                var seen: [UInt8] = []
                while !seen.text.contains(piece) { seen += try #require(try await client.piece()) }
            }
            try await client.send("0\r\n\r\n")
            var end: [UInt8] = []
            while !end.text.hasSuffix("0\r\n\r\n") { end += try #require(try await client.piece()) }
        }
    }

    @Test func trailersPassBothWays() async throws {
        let script: HTTP2Backend.Script = { call in
            let request = try await call.body()
            let sum = request.trailers.first(name: "x-sum") ?? "none"
            try await call.head(200, [("content-type", "application/grpc")])
            try await call.data(Array("body".utf8))
            try await call.trailers([("grpc-status", "0"), ("x-sum-seen", sum)])
        }
        try await withHTTP2Backend(script) { fixture, _ async throws in
            let client = try await fixture.http2()
            let answer = try await client.request(
                "/open/x",
                method: "POST",
                fields: [("te", "trailers")],
                body: Array("hello".utf8),
                trailers: [("x-sum", "5")]
            )
            #expect(answer.body.text == "body")
            #expect(answer.body.trailers["grpc-status"] == ["0"])
            #expect(answer.body.trailers["x-sum-seen"] == ["5"])

            let raw = fixture.head("/open/x", method: "POST", fields: ["Transfer-Encoding: chunked", "TE: trailers"])
            let response = try await fixture.send(raw + "5\r\nhello\r\n0\r\nX-Sum: 6\r\n\r\n", method: "POST")
            #expect(response.body.text == "body")
            #expect(response.body.trailers["grpc-status"] == ["0"])
            #expect(response.body.trailers["x-sum-seen"] == ["6"])
        }
    }

    @Test func trailersWithoutBodyArePassedOn() async throws {
        let script: HTTP2Backend.Script = { call in
            try await call.body()
            try await call.head(200, [("content-type", "application/grpc"), ("grpc-status", "12")], end: true)
        }
        try await withHTTP2Backend(script) { fixture, _ async throws in
            let client = try await fixture.http2()
            let response = try await client.request("/open/x", method: "POST", body: [])
            #expect(response.fields["grpc-status"] == ["12"])
            #expect(response.body.bytes.isEmpty)
        }
    }

    @Test func responsesWithoutBodyHaveNone() async throws {
        let script: HTTP2Backend.Script = { call in
            try await call.body()
            switch call.path {
            case "/open/204": try await call.head(204, end: true)
            case "/open/304": try await call.head(304, [("etag", "\"a\""), ("content-length", "7")], end: true)
            case "/open/empty": try await call.head(200, [("content-length", "0")], end: true)
            case "/open/unknown": try await call.head(200, end: true)
            default: try await call.head(200, [("content-length", "7")], end: true)
            }
        }
        try await withHTTP2Backend(script) { fixture, backend async throws in
            // On one connection, where a surplus body would become the next response.
            let client = try await fixture.connect()
            for (target, method, status) in [
                ("/open/204", "GET", 204), ("/open/304", "GET", 304), ("/open/empty", "GET", 200),
                ("/open/unknown", "GET", 200), ("/open/head", "HEAD", 200), ("/open/204", "DELETE", 204),
            ] {
                let response = try await client.request(fixture.head(target, method: method), method: method)
                #expect(response.status == status, "\(target)")
                #expect(response.body.bytes.isEmpty, "\(target)")
                if method == "HEAD" || status == 304 { #expect(response.fields["Content-Length"] == ["7"]) }
            }
            #expect(backend.connections == 1)
        }
    }

    @Test func interimResponsesArePassedOn() async throws {
        let script: HTTP2Backend.Script = { call in
            try await call.head(103, [("link", "</style.css>; rel=preload")])
            try await call.body()
            try await call.head(103, [("link", "</more.css>; rel=preload")])
            try await call.respond()
        }
        try await withHTTP2Backend(script) { fixture, _ async throws in
            let first = try await fixture.request("/open/x")
            #expect(first.status == 200)
            #expect(first.interim.map(\.status) == [103, 103])
            #expect(first.interim.first?.fields["Link"] == ["</style.css>; rel=preload"])
            let second = try await fixture.http2().request("/open/x")
            #expect(second.interim.map(\.status) == [103, 103])
        }
    }

    @Test func resetWithinAnnouncedLengthCutsResponse() async throws {
        let script: HTTP2Backend.Script = { call in
            try await call.body()
            try await call.head(200, [("content-length", "10")])
            try await call.reset(.internalError)
        }
        try await withHTTP2Backend(script) { fixture, _ async throws in
            let client = try await fixture.connect()
            try await client.send(fixture.head("/open/x"))
            let head = try await client.head()
            await #expect(throws: (any Error).self) { _ = try await client.body(head.framing) }
        }
    }

    @Test func silentServerIsTimeoutAndResetsStream() async throws {
        let over = Gate("the test is over")
        let script: HTTP2Backend.Script = { call in
            try await call.body()
            if call.path == "/open/silent" { try await over.passed() } else { try await call.respond() }
        }
        try await withHTTP2Backend(script, keys: "timeouts: { response: 300ms }") { fixture, backend async throws in
            let silent = try await fixture.connect()
            try await silent.send(fixture.head("/open/silent"))
            let call = try await backend.calls.next()
            expectRefusal(try await silent.response(), 504, "backend_timeout")
            #expect(try await call.ended.next() == Int(HTTP2ErrorCode.cancel.rawValue))
            #expect(try await fixture.request("/open/x").status == 200)
            #expect(backend.connections == 1)
            over.open()
        }
    }

    @Test func clientDisconnectResetsOnlyItsStream() async throws {
        let over = Gate("the test is over")
        let script: HTTP2Backend.Script = { call in
            try await call.body()
            if call.path == "/open/held" { try await over.passed() } else { try await call.respond() }
        }
        try await withHTTP2Backend(script) { fixture, backend async throws in
            let client = try await fixture.connect()
            try await client.send(fixture.head("/open/held"))
            let call = try await backend.calls.next()
            try await client.reset()
            #expect(try await call.ended.next() == Int(HTTP2ErrorCode.cancel.rawValue))
            #expect(try await fixture.request("/open/x").status == 200)
            #expect(backend.connections == 1)
            over.open()
        }
    }
}
