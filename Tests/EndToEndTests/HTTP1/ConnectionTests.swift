import Testing
import Verification

/// How long a client's connection lasts, and several requests on it (RFC 9112 section 9).
@Suite struct ConnectionTests {
    @Test func tenPipelinedRequestsAreAnsweredInOrder() async throws {
        try await withGateway(backend: .echo) { fixture async throws in
            let client = try await fixture.connect()
            let requests = (0..<10).map { number in
                let body = "body \(number)"
                let fields = ["Content-Length: \(body.utf8.count)"]
                return fixture.head("/open/\(number)", method: "POST", fields: fields) + body
            }
            try await client.send(requests.joined())
            for number in 0..<10 {
                #expect(try await client.response(to: "POST").body.text == "body \(number)")
            }
            #expect(fixture.backend.requests.map(\.target) == (0..<10).map { "/open/\($0)" })
        }
    }

    @Test func pipelinedRefusalsAndResponsesKeepOrder() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.connect()
            let paths = ["/open/a", "/x", "/open/b", "/y", "/open/c"]
            try await client.send(paths.map { fixture.head($0) }.joined())
            for path in paths {
                #expect(try await client.response().status == (path.hasPrefix("/open") ? 200 : 401), "\(path)")
            }
        }
    }

    @Test func pipelinedRequestsParseByteByByte() async throws {
        try await withGateway(backend: .echo) { fixture async throws in
            let client = try await fixture.connect()
            let chunked = fixture.head("/open/a", method: "POST", fields: ["Transfer-Encoding: chunked"])
            try await client.drip(chunked + "2\r\nhi\r\n0\r\n\r\n" + fixture.head("/open/b") + fixture.head("/open/c"))
            #expect(try await client.response(to: "POST").body.text == "hi")
            #expect(try await client.response().status == 200)
            #expect(try await client.response().status == 200)
        }
    }

    @Test func connectionCloseIsHonored() async throws {
        try await withGateway { fixture async throws in
            for value in ["close", "Close", "x, close", "close, x"] {
                let client = try await fixture.connect()
                let response = try await client.request(fixture.head("/open/x", fields: ["Connection: \(value)"]))
                #expect(response.fields.list("Connection") == ["close"], "\(value)")
                #expect(try await client.untilClosed() == [], "\(value)")
            }
        }
    }

    @Test func bytesAfterLastRequestAreIgnored() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.connect()
            let last = fixture.head("/open/last", fields: ["Connection: close"])
            #expect(try await client.request(last + fixture.head("/open/smuggled")).status == 200)
            #expect(try await client.untilClosed() == [])
            #expect(fixture.backend.requests.map(\.target) == ["/open/last"])
        }
    }

    @Test func closeByBackendKeepsClientConnection() async throws {
        let raw = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"
        try await withGateway(backend: .responseThenClose(raw)) { fixture async throws in
            let client = try await fixture.connect()
            for _ in 0..<3 {
                #expect(try await client.request(fixture.head("/open/x")).body.text == "ok")
            }
        }
    }

    @Test func http10ConnectionClosesAfterResponse() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.connect()
            try await client.send("GET /open/x HTTP/1.0\r\nHost: app.test\r\n\r\n" + fixture.head("/open/smuggled"))
            let response = try await client.response()
            #expect(response.status == 200)
            #expect(response.fields["Transfer-Encoding"] == [])
            #expect(try await client.untilClosed() == [])
            #expect(fixture.backend.requests.count == 1)
        }
    }

    @Test func http10ClientMayKeepConnection() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.connect()
            for _ in 0..<3 {
                try await client.send("GET /open/x HTTP/1.0\r\nHost: app.test\r\nConnection: keep-alive\r\n\r\n")
                let response = try await client.response()
                #expect(response.body.text == "ok")
                #expect(response.fields.list("Connection") == ["keep-alive"])
            }
        }
    }

    @Test func http10ClientGetsNoChunks() async throws {
        let responses = [
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\nX-T: 1\r\n\r\n",
            "HTTP/1.1 200 OK\r\n\r\nhello world",
        ]
        for raw in responses {
            try await withGateway(backend: .responseThenClose(raw)) { fixture async throws in
                let client = try await fixture.connect()
                try await client.send("GET /open/x HTTP/1.0\r\nHost: app.test\r\nConnection: keep-alive\r\n\r\n")
                let response = try await client.response()
                #expect(response.fields["Transfer-Encoding"] == [])
                #expect(response.framing != .chunked)
                #expect(response.body.text == "hello world")
            }
        }
    }

    @Test func http10RequestWithoutHostIsRefused() async throws {
        try await withGateway { fixture async throws in
            let status = try await fixture.send("GET /open/x HTTP/1.0\r\n\r\n").status
            #expect(status == 404 || status == 400)
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    @Test func clientDisconnectBeforeRequestIsHarmless() async throws {
        try await withGateway { fixture async throws in
            let silent = try await fixture.connect()
            await silent.close()
            let cut = try await fixture.connect()
            try await cut.send("GET /open/x HTTP/1.1\r\nHos")
            try await cut.reset()
            #expect(try await fixture.request("/open/x").status == 200)
            #expect(fixture.backend.requests.count == 1)
        }
    }

    @Test func halfCloseCountsAsDisconnect() async throws {
        try await withGateway(backend: .silent) { fixture async throws in
            let raw = fixture.head("/open/x", method: "POST", fields: ["Content-Length: 5"]) + "hello"
            let client = try await fixture.connect()
            try await client.send(raw)
            _ = try await fixture.backend.arrivals.next()
            try await client.closeOutput()
            #expect(try await client.untilClosed() == [])
            _ = try await fixture.backend.ends.next()
            #expect(try await fixture.accessLog.next()["status"]?.double == 499)
        }
    }

    @Test func halfCloseDuringResponseCountsAsDisconnect() async throws {
        let script = BackendScript.responseThenWait("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfirst")
        try await withGateway(backend: script) { fixture async throws in
            let client = try await fixture.connect()
            try await client.send(fixture.head("/open/x"))
            #expect(try await client.head().status == 200)
            try await client.closeOutput()
            #expect(try await client.untilClosed().text == "first")
            _ = try await fixture.backend.ends.next()
        }
    }
}
