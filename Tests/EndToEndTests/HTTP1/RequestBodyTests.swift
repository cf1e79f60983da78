import TestSupport
import Testing

/// Request bodies arrive whole, whatever their framing (RFC 9112 sections 6 and 7).
@Suite struct RequestBodyTests {
    private static func post(_ fields: String, _ body: String = "") -> String {
        "POST /open/x HTTP/1.1\r\nHost: app.test\r\n\(fields)\r\n\r\n\(body)"
    }

    @Test func emptyBodyArrivesEmpty() async throws {
        try await withGateway(backend: .echo) { fixture async throws in
            for raw in [Self.post("Content-Length: 0"), Self.post("Transfer-Encoding: chunked", "0\r\n\r\n")] {
                #expect(try await fixture.send(raw, method: "POST").status == 200)
                let seen = try await fixture.backend.arrivals.next()
                #expect(seen.head.framing == .contentLength(0) || seen.head.framing == .chunked)
                #expect(seen.body.bytes.isEmpty)
            }
        }
    }

    @Test func chunksWithExtensionsAndTrailersArrive() async throws {
        try await withGateway { fixture async throws in
            let body = "5;name=value\r\nhello\r\n1;q=\"a;b\"\r\n,\r\n00006\r\n world\r\nA\r\n0123456789\r\n0;last\r\n"
            let raw = Self.post("Transfer-Encoding: chunked\r\nTrailer: X-Sum", body + "X-Sum: 42\r\n\r\n")
            #expect(try await fixture.send(raw, method: "POST").status == 200)
            let seen = try await fixture.backend.arrivals.next()
            #expect(seen.head.framing == .chunked)
            #expect(seen.body.text == "hello, world0123456789")
            #expect(seen.body.trailers["X-Sum"] == ["42"] || seen.body.trailers.names.isEmpty)
        }
    }

    @Test func thousandSignedChunksArrive() async throws {
        try await withGateway { fixture async throws in
            var random = SplitMix64(seed: 3)
            let body = random.variedBytes(1_000_000)
            var raw = Array(Self.post("Transfer-Encoding: chunked").utf8)
            for start in stride(from: 0, to: body.count, by: 1000) {
                raw += "3e8;chunk-signature=\(Self.hex(&random))\r\n".utf8
                raw += body[start..<(start + 1000)] + Array("\r\n".utf8)
            }
            raw += "0;chunk-signature=\(Self.hex(&random))\r\n\r\n".utf8
            let client = try await fixture.connect()
            try await client.send(raw)
            #expect(try await client.response(to: "POST").status == 200)
            let arrived = try await fixture.backend.arrivals.next().body.bytes == body
            #expect(arrived)
        }
    }

    /// 256 bits, as long as a signature.
    private static func hex(_ random: inout SplitMix64) -> String {
        (0..<64).map { _ in String(random.next() & 15, radix: 16) }.joined()
    }

    @Test func trailersCannotChangeFramingRoutingOrCredentials() async throws {
        try await withGateway { fixture async throws in
            let names = ["Content-Length", "Transfer-Encoding", "Host", "Authorization", "Cookie", "X-Forwarded-For"]
            for name in names {
                let raw = Self.post("Transfer-Encoding: chunked", "1\r\na\r\n0\r\n\(name): 7\r\n\r\n")
                let response = try await fixture.send(raw, method: "POST")
                guard response.status == 200 else {
                    #expect(response.status == 400, "\(name)")
                    continue
                }
                #expect(try await fixture.backend.arrivals.next().body.trailers[name] == [], "\(name)")
            }
        }
    }

    @Test func bodyArrivesByteByByte() async throws {
        try await withGateway { fixture async throws in
            let raws = [
                Self.post("Content-Length: 11", "hello world"),
                Self.post("Transfer-Encoding: chunked", "5;x\r\nhello\r\n6\r\n world\r\n0\r\nX-T: 1\r\n\r\n"),
            ]
            for raw in raws {
                let client = try await fixture.connect()
                try await client.drip(raw)
                #expect(try await client.response(to: "POST").status == 200)
                #expect(try await fixture.backend.arrivals.next().body.text == "hello world")
            }
        }
    }

    @Test func eightMegabytesWithLengthArriveExactly() async throws {
        try await withGateway(backend: .echo) { fixture async throws in
            var random = SplitMix64(seed: 1)
            let body = random.variedBytes(8 << 20)
            let client = try await fixture.connect()
            try await client.send(Self.post("Content-Length: \(body.count)"))
            try await client.send(body)
            let echoed = try await client.response(to: "POST").body.bytes == body
            let arrived = try await fixture.backend.arrivals.next().body.bytes == body
            #expect(arrived && echoed)
        }
    }

    @Test func eightMegabytesInChunksArriveExactly() async throws {
        try await withGateway(backend: .echo) { fixture async throws in
            var random = SplitMix64(seed: 2)
            let body = random.variedBytes(8 << 20)
            let client = try await fixture.connect()
            try await client.send(Self.post("Transfer-Encoding: chunked"))
            var sent = 0
            while sent < body.count {
                let end = min(sent + Int.random(in: 1...300_000, using: &random), body.count)
                let size = String(end - sent, radix: 16)
                try await client.send(Array("\(size)\r\n".utf8) + body[sent..<end] + Array("\r\n".utf8))
                sent = end
            }
            let echoed = try await client.request("0\r\n\r\n", method: "POST").body.bytes == body
            let arrived = try await fixture.backend.arrivals.next().body.bytes == body
            #expect(arrived && echoed)
        }
    }

    @Test func bodyIsStreamedBeforeItEnds() async throws {
        let script = BackendScript { exchange in
            // Responds once it has the first half; the client sends the second half only then.
            _ = try await exchange.pieceOfBody()
            try await exchange.send("HTTP/1.1 103 Early Hints\r\n\r\n")
            _ = try await exchange.pieceOfBody()
            exchange.skipBody()
            try await exchange.sendOK()
        }
        try await withGateway(backend: script) { fixture async throws in
            let client = try await fixture.connect()
            try await client.send(Self.post("Content-Length: 10", "first"))
            #expect(try await client.head().status == 103)
            #expect(try await client.request("other", method: "POST").status == 200)
        }
    }

    @Test func clientThatStopsMidBodyLeavesNoWholeRequest() async throws {
        try await withGateway { fixture async throws in
            let framings = [("Content-Length: 10", "short"), ("Transfer-Encoding: chunked", "5\r\nshort\r\n")]
            for (fields, part) in framings {
                let client = try await fixture.connect()
                try await client.send(Self.post(fields, part))
                _ = try await fixture.backend.heads.next()
                await client.close()
                _ = try await fixture.backend.abandoned.next()
            }
            #expect(fixture.backend.requests.isEmpty)
        }
    }
}
