import NIOCore
import NIOHTTP2
import TestSupport
import Testing

/// Connections to an HTTP/2 server: shared by many requests, within its limits, and replaced when they end.
@Suite struct HTTP2BackendConnectionTests {
    private static let prompt: HTTP2Backend.Script = { call in
        try await call.body()
        try await call.respond(call.path)
    }

    @Test func hundredsOfRequestsShareFewConnections() async throws {
        let together = Gate("all requests are there")
        let script: HTTP2Backend.Script = { call in
            try await call.body()
            try await together.passed()
            try await call.respond(call.path)
        }
        let settings = [NIOHTTP2.HTTP2Setting.maximumStreams(1000)]
        try await withHTTP2Backend(script, settings: settings) { fixture, backend async throws in
            var clients: [(client: HTTP2Client, streams: [Int])] = []
            for _ in 0..<4 {
                let client = try await fixture.http2()
                var streams: [Int] = []
                for _ in 0..<100 {
                    streams.append(try await client.open("/open/\(streams.count)"))
                }
                clients.append((client, streams))
            }
            for _ in 0..<400 { _ = try await backend.calls.next() }
            #expect(backend.connections == 4)
            #expect(backend.mostAtOnce == 400)
            together.open()
            for (client, streams) in clients {
                for (index, stream) in streams.enumerated() {
                    #expect(try await client.response(on: stream).body.text == "/open/\(index)")
                }
            }
        }
    }

    @Test func limitOfOneStreamIsObeyed() async throws {
        let settings = [NIOHTTP2.HTTP2Setting.maximumStreams(1)]
        try await withHTTP2Backend(Self.prompt, keys: "limits: { connections: 1 }", settings: settings) {
            fixture,
            backend async throws in
            // The settings arrive with the first response.
            #expect(try await fixture.request("/open/first").status == 200)
            var clients: [RawClient] = []
            for number in 0..<10 {
                let client = try await fixture.connect()
                try await client.send(fixture.head("/open/\(number)"))
                clients.append(client)
            }
            for (number, client) in clients.enumerated() {
                #expect(try await client.response().body.text == "/open/\(number)")
            }
            #expect(backend.connections == 1)
            #expect(backend.mostAtOnce == 1)
        }
    }

    @Test func streamLimitOpensAnotherConnection() async throws {
        let together = Gate("three requests are there")
        let script: HTTP2Backend.Script = { call in
            try await call.body()
            if call.path != "/open/first" { try await together.passed() }
            try await call.respond()
        }
        let settings = [NIOHTTP2.HTTP2Setting.maximumStreams(1)]
        try await withHTTP2Backend(script, keys: "limits: { connections: 3, pending: 0 }", settings: settings) {
            fixture,
            backend async throws in
            #expect(try await fixture.request("/open/first").status == 200)
            _ = try await backend.calls.next()
            var clients: [RawClient] = []
            for number in 0..<3 {
                let client = try await fixture.connect()
                try await client.send(fixture.head("/open/\(number)"))
                _ = try await backend.calls.next()
                clients.append(client)
            }
            expectRefusal(try await fixture.request("/open/x"), 503, "overloaded")
            together.open()
            for client in clients { #expect(try await client.response().status == 200) }
            #expect(backend.connections == 3)
        }
    }

    @Test func goAwayLosesNoRequest() async throws {
        let script: HTTP2Backend.Script = { call in
            try await call.body()
            if call.path == "/open/last" { try await call.goAway() }
            try await call.respond()
        }
        try await withHTTP2Backend(script) { fixture, backend async throws in
            for number in 0..<3 {
                #expect(try await fixture.request("/open/x").status == 200)
                #expect(try await fixture.request("/open/last", method: "POST").status == 200)
                // The gateway closes it.
                #expect(try await backend.ends.next() == number)
            }
            #expect(backend.connections == 3)
            #expect(backend.requests == 6)
        }
    }

    @Test func requestAfterGoAwayMovesToAnotherConnection() async throws {
        let last = Gate("the second request was answered")
        let script: HTTP2Backend.Script = { call in
            try await call.body()
            if call.path == "/open/first" {
                try await last.passed()
            } else if call.connection == 0 {
                // Accepts only the first stream.
                return try await call.goAway(past: -2)
            }
            try await call.respond()
        }
        try await withHTTP2Backend(script) { fixture, backend async throws in
            let first = try await fixture.connect()
            try await first.send(fixture.head("/open/first", method: "POST"))
            _ = try await backend.calls.next()
            #expect(try await fixture.request("/open/second").status == 200)
            last.open()
            #expect(try await first.response(to: "POST").status == 200)
            #expect(backend.connections == 2)
            #expect(backend.requests == 3)
        }
    }

    @Test func resetBeforeHeadIsBadGatewayOrRetried() async throws {
        for (code, method, tries) in [
            (NIOHTTP2.HTTP2ErrorCode.internalError, "POST", 1), (.internalError, "GET", 2), (.refusedStream, "GET", 2),
            (.cancel, "DELETE", 1),
        ] {
            let script: HTTP2Backend.Script = { call in
                try await call.body()
                try await call.reset(code)
            }
            try await withHTTP2Backend(script) { fixture, backend async throws in
                let response = try await fixture.request("/open/x", method: method)
                expectRefusal(response, 502, "backend_unavailable", "\(code) \(method)")
                #expect(backend.requests == tries, "\(code) \(method)")
                #expect(backend.connections == 1)
            }
        }
    }

    @Test func retryAfterResetIsAnswered() async throws {
        let resets = Switch(true)
        let script: HTTP2Backend.Script = { call in
            try await call.body()
            guard resets.isOn else { return try await call.respond() }
            resets.turn(on: false)
            try await call.reset(.refusedStream)
        }
        try await withHTTP2Backend(script) { fixture, backend async throws in
            #expect(try await fixture.request("/open/x").status == 200)
            #expect(backend.requests == 2)
        }
    }

    @Test func brokenConnectionRetriesOnlyIdempotentRequests() async throws {
        let script: HTTP2Backend.Script = { call in
            try await call.body()
            if call.connection == 0, call.path == "/open/breaks" { return try await call.closeConnection() }
            if call.connection == 0 { return }
            try await call.respond()
        }
        try await withHTTP2Backend(script) { fixture, backend async throws in
            var clients: [(client: RawClient, method: String)] = []
            for method in ["GET", "POST", "GET", "HEAD"] {
                let client = try await fixture.connect()
                try await client.send(fixture.head("/open/held", method: method))
                _ = try await backend.calls.next()
                clients.append((client, method))
            }
            #expect(try await fixture.request("/open/breaks").status == 200)
            for (client, method) in clients {
                let response = try await client.response(to: method)
                #expect(response.status == (method == "POST" ? 502 : 200), "\(method)")
            }
            #expect(backend.connections == 2)
        }
    }

    @Test func unreachableServerIsUnavailable() async throws {
        let closed = try ClosedPort()
        let setup = GatewaySetup(tenant: "backend: { servers: [\"h2c://127.0.0.1:\(closed.port)\"] }")
        try await withGateway(setup) { fixture async throws in
            for method in ["GET", "POST"] {
                expectRefusal(try await fixture.request("/open/x", method: method), 503, "backend_unavailable")
            }
        }
        withExtendedLifetime(closed) {}
    }

    @Test func http11ServerIsBadGateway() async throws {
        let setup = GatewaySetup(tenant: "backend: { servers: [\"{h2c}\"] }")
        let raw = "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        let plain = try await Wire.listen { wire in
            Task {
                _ = try await wire.receive()
                try await wire.send(Array(raw.utf8))
                await wire.close()
            }
        }
        let port = try #require(plain.localAddress?.port)
        try await withGateway(setup, values: ["h2c": "h2c://127.0.0.1:\(port)"]) { fixture async throws in
            for method in ["GET", "POST"] {
                let response = try await fixture.request("/open/x", method: method)
                expectRefusal(response, 502, "backend_unavailable", method)
            }
        }
        try await plain.close()
    }

    @Test func unusedConnectionIsClosed() async throws {
        try await withHTTP2Backend(Self.prompt, keys: "timeouts: { idle: 200ms }") { fixture, backend async throws in
            for number in 0..<2 {
                #expect(try await fixture.request("/open/x").status == 200)
                #expect(try await backend.ends.next() == number)
            }
        }
    }
}
