import TestSupport
import Testing

/// Responses arrive whole and with one framing that the client understands (RFC 9112 section 6.3).
@Suite struct ResponseBodyTests {
    @Test func responseArrivesByteByByte() async throws {
        let raw = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;x\r\nhello\r\n1\r\n!\r\n0\r\nX-T: 1\r\n\r\n"
        let script = BackendScript { exchange in
            try await exchange.body()
            for byte in raw.utf8 { try await exchange.send([byte]) }
        }
        try await withGateway(backend: script) { fixture async throws in
            let client = try await fixture.connect()
            for _ in 0..<3 {
                let response = try await client.request(fixture.head("/open/x"))
                #expect(response.body.text == "hello!")
                #expect(response.body.trailers["X-T"] == ["1"])
            }
        }
    }

    @Test func headHasFieldsButNoBody() async throws {
        let heads = [
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
            "HTTP/1.1 200 OK\r\n\r\n",
        ]
        for raw in heads {
            try await withGateway(backend: .response(raw)) { fixture async throws in
                let client = try await fixture.connect()
                for _ in 0..<2 {
                    let response = try await client.request(fixture.head("/open/x", method: "HEAD"), method: "HEAD")
                    #expect(response.status == 200)
                    if raw.contains("Content-Length") { #expect(response.fields["Content-Length"] == ["5"]) }
                }
            }
        }
    }

    @Test func noContentAndNotModifiedHaveNoBody() async throws {
        let heads = [
            "HTTP/1.1 204 No Content\r\nX-A: b\r\n\r\n", "HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\n\r\n",
            "HTTP/1.1 304 Not Modified\r\nContent-Length: 500\r\n\r\n",
        ]
        for raw in heads {
            try await withGateway(backend: .response(raw)) { fixture async throws in
                let client = try await fixture.connect()
                for _ in 0..<2 {
                    let response = try await client.request(fixture.head("/open/x"))
                    #expect(response.status == (raw.contains("204") ? 204 : 304))
                    #expect(response.fields["Transfer-Encoding"] == [])
                }
            }
        }
    }

    @Test func eightMegabytesArriveExactlyInEveryFraming() async throws {
        var random = SplitMix64(seed: 3)
        let body = random.variedBytes(8 << 20)
        let script = BackendScript { exchange in
            try await exchange.body()
            switch exchange.head.path {
            case "/open/length":
                try await exchange.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n")
                try await exchange.send(body)
            case "/open/chunks":
                try await exchange.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
                for start in stride(from: 0, to: body.count, by: 200_003) {
                    let chunk = body[start..<min(start + 200_003, body.count)]
                    let size = String(chunk.count, radix: 16, uppercase: true)
                    try await exchange.send(Array("\(size)\r\n".utf8) + chunk + Array("\r\n".utf8))
                }
                try await exchange.send("0\r\n\r\n")
            default:
                try await exchange.send("HTTP/1.1 200 OK\r\n\r\n")
                try await exchange.send(body)
                await exchange.close()
            }
        }
        try await withGateway(backend: script) { fixture async throws in
            let client = try await fixture.connect()
            for path in ["/open/length", "/open/chunks", "/open/close"] {
                let same = try await client.request(fixture.head(path)).body.bytes == body
                #expect(same, "\(path)")
            }
        }
    }

    /// Sends 413 after the head and does not read the body.
    private static func tooLarge(closing: Bool) -> BackendScript {
        BackendScript { exchange in
            guard exchange.head.method == "POST" else {
                try await exchange.body()
                return try await exchange.sendOK(exchange.head.path)
            }
            exchange.skipBody()
            let connection = closing ? "Connection: close\r\n" : ""
            try await exchange.send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 5\r\n\(connection)\r\nlarge")
            if !closing { try await exchange.gone() }
            await exchange.close()
        }
    }

    @Test func early413KeepsClientConnection() async throws {
        for closing in [true, false] {
            try await withGateway(backend: Self.tooLarge(closing: closing)) { fixture async throws in
                let client = try await fixture.connect()
                let length = "Content-Length: 10000"
                try await client.send(fixture.head("/open/large", method: "POST", fields: [length]) + "part")
                let response = try await client.response(to: "POST")
                #expect(response.status == 413)
                #expect(response.body.text == "large")
                #expect(!response.fields.list("Connection").contains("close"))
                // The rest of the body is not the next request, whatever it looks like.
                let smuggled = fixture.head("/open/smuggled")
                let rest = smuggled + String(repeating: "x", count: 10_000 - 4 - smuggled.utf8.count)
                #expect(try await client.request(rest + fixture.head("/open/next")).body.text == "/open/next")
                #expect(!fixture.backend.requests.contains { $0.target == "/open/smuggled" })
            }
        }
    }

    @Test func early413DuringEndlessBodyClosesConnection() async throws {
        try await withGateway(backend: Self.tooLarge(closing: false)) { fixture async throws in
            let client = try await fixture.connect()
            let chunked = "Transfer-Encoding: chunked"
            try await client.send(fixture.head("/open/large", method: "POST", fields: [chunked]) + "4\r\npart\r\n")
            #expect(try await client.response(to: "POST").status == 413)
            let chunk = Array(("4000\r\n" + String(repeating: "x", count: 0x4000) + "\r\n").utf8)
            let flood = Task {
                // Ends when the gateway closes, which fails the write; it would not skip 16 GiB.
                for _ in 0..<(1 << 20) { try await client.send(chunk) }
            }
            #expect(try await client.untilClosed() == [])
            let end = await flood.result
            #expect(throws: (any Error).self) { try end.get() }
            if case .failure(let error) = end { #expect(!(error is NothingCame)) }
            #expect(fixture.backend.requests.isEmpty)
        }
    }
}
