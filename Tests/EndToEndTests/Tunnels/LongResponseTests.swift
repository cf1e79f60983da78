import TestSupport
import Testing
import Verification

/// Server-sent events and other endless responses: every byte at once, and no limit on the duration while bytes flow.
@Suite struct LongResponseTests {
    private static let head =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"

    private static func chunk(_ text: String) -> String {
        "\(String(text.utf8.count, radix: 16))\r\n\(text)\r\n"
    }

    /// Reads until `text` has come.
    private static func read(_ client: RawClient, until text: String) async throws {
        var seen = ""
        while !seen.contains(text) {
            guard let piece = try await client.piece() else { throw Truncated(missing: 1) }
            seen += piece.text
        }
    }

    @Test func eachEventArrivesBeforeNextIsSent() async throws {
        let seen = Mailbox<Int>("the client has an event")
        let script = BackendScript { exchange in
            try await exchange.body()
            try await exchange.send(Self.head)
            for event in 0..<20 {
                #expect(try await seen.next() == event)
                try await exchange.send(Self.chunk("data: \(event)\n\n"))
            }
            #expect(try await seen.next() == 20)
            try await exchange.send("0\r\n\r\n")
        }
        try await withGateway(backend: script) { fixture async throws in
            let client = try await fixture.connect()
            try await client.send(fixture.head("/open/events", fields: ["Accept: text/event-stream"]))
            // The head is sent at once, so that `open` fires in the browser before the first event.
            let head = try await client.head()
            #expect(head.status == 200 && head.fields["Content-Type"] == ["text/event-stream"])
            for event in 0..<20 {
                seen.put(event)
                try await Self.read(client, until: "data: \(event)\n\n")
            }
            seen.put(20)
            try await Self.read(client, until: "0\r\n\r\n")
        }
    }

    @Test func responseOfUnknownLengthArrivesByteByByte() async throws {
        let seen = Mailbox<Void>("the client has a byte")
        let script = BackendScript { exchange in
            try await exchange.body()
            try await exchange.send("HTTP/1.1 200 OK\r\n\r\n")
            for byte in "stream".utf8 {
                try await exchange.send([byte])
                try await seen.next()
            }
            await exchange.close()
        }
        try await withGateway(backend: script) { fixture async throws in
            let client = try await fixture.connect()
            try await client.send(fixture.head("/open/stream"))
            #expect(try await client.head().framing == .chunked)
            for character in "stream" {
                try await Self.read(client, until: "1\r\n\(character)\r\n")
                seen.put(())
            }
            try await Self.read(client, until: "0\r\n\r\n")
        }
    }

    @Test func timeoutsDoNotEndFlowingResponse() async throws {
        let script = BackendScript { exchange in
            try await exchange.body()
            try await exchange.send(Self.head)
            let start = ContinuousClock.now
            // Twice as long as any timeout, without a pause as long as one.
            while start.duration(to: .now) < .seconds(10) { try await exchange.send(Self.chunk("data: tick\n\n")) }
            try await exchange.send(Self.chunk("data: last\n\n") + "0\r\n\r\n")
        }
        let setup = GatewaySetup(
            gateway: "limits: { idle_timeout: 5s, header_timeout: 3s }",
            tenant: "backend: { servers: [\"{backend}\"], timeouts: { response: 5s, idle: 5s } }"
        )
        try await withGateway(setup, backend: script) { fixture async throws in
            let client = try await fixture.connect()
            try await client.send(fixture.head("/open/events"))
            #expect(try await client.head().status == 200)
            var tail: [UInt8] = []
            while !tail.text.hasSuffix("0\r\n\r\n"), let piece = try await client.piece() {
                tail = Array((tail + piece).suffix(64))
            }
            #expect(tail.text.hasSuffix("data: last\n\n\r\n0\r\n\r\n"))
        }
    }

    @Test func silentStreamIsCutVisibly() async throws {
        let script = BackendScript.responseThenWait(Self.head + Self.chunk("data: 1\n\n"))
        let setup = GatewaySetup(tenant: "backend: { servers: [\"{backend}\"], timeouts: { idle: 400ms } }")
        try await withGateway(setup, backend: script) { fixture async throws in
            let client = try await fixture.connect()
            try await client.send(fixture.head("/open/events"))
            #expect(try await client.head().status == 200)
            let rest = try await client.untilClosed().text
            #expect(rest == Self.chunk("data: 1\n\n"))
            _ = try await fixture.backend.ends.next()
        }
    }

    @Test func clientDisconnectEndsStreamAtBackend() async throws {
        let script = BackendScript.responseThenWait(Self.head + Self.chunk("data: 1\n\n"))
        try await withGateway(backend: script) { fixture async throws in
            let client = try await fixture.connect()
            try await client.send(fixture.head("/open/events"))
            try await Self.read(client, until: "data: 1\n\n")
            await client.close()
            _ = try await fixture.backend.ends.next()
            let line = try await fixture.accessLog.next()
            #expect(line["status"] == 200 && line["path"] == "/open/events")
        }
    }
}
