import Testing

/// Responses of an HTTP/2 server to HTTP/1.1 clients that share its connection.
@Suite struct HTTP2BackendResponseTests {
    @Test func clientsSharingConnectionGetTheirOwnResponses() async throws {
        let together = Gate("all requests are there")
        let script: HTTP2Backend.Script = { call in
            try await together.passed()
            try await call.head(200, [("x-path", call.path)])
            try await call.data(Array("one \(call.path)".utf8))
            try await call.data(Array(" two".utf8), end: true)
        }
        try await withHTTP2Backend(script) { fixture, backend async throws in
            var clients: [RawClient] = []
            for number in 0..<40 {
                let client = try await fixture.connect()
                try await client.send(fixture.head("/open/\(number)"))
                clients.append(client)
            }
            for _ in clients { _ = try await backend.calls.next() }
            together.open()
            for (number, client) in clients.enumerated() {
                let response = try await client.response()
                #expect(response.status == 200)
                #expect(response.fields["x-path"] == ["/open/\(number)"])
                #expect(response.body.text == "one /open/\(number) two")
            }
        }
    }

    /// Bytes after such a head would become the next response on the client's connection. The test server refuses to
    /// send them after a HEAD or a 304, to which the same rule applies.
    @Test func strayContentNeverReachesClient() async throws {
        let stray = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nstolen"
        let script: HTTP2Backend.Script = { call in
            guard call.path.hasSuffix("stray") else { return try await call.respond(call.path) }
            try await call.head(204)
            try await call.data(Array(stray.utf8), end: true)
        }
        try await withHTTP2Backend(script) { fixture, _ async throws in
            let client = try await fixture.connect()
            let response = try await client.request(fixture.head("/open/stray"))
            #expect(response.status == 204)
            #expect(try await client.untilClosed().text == "")
            #expect(try await fixture.request("/open/next").body.text == "/open/next")
        }
    }

    /// RFC 9113 section 8.1.1, for responses.
    @Test func responseOfWrongLengthIsCut() async throws {
        let script: HTTP2Backend.Script = { call in
            guard let body = call.path.split(separator: "/").last, body != "canary" else {
                return try await call.respond()
            }
            try await call.head(200, [("content-length", "5")])
            try await call.data(Array(body.utf8.prefix(3)))
            try await call.data(Array(body.utf8.dropFirst(3)), end: true)
        }
        // The server library would not send such a response by default.
        try await withHTTP2Backend(script, settings: [], checksLengths: false) { fixture, _ async throws in
            for body in ["four", "sixsix"] {
                let client = try await fixture.connect()
                try await client.send(fixture.head("/open/\(body)"))
                let text = try await client.untilClosed().text
                #expect(
                    text.hasSuffix("\r\n\r\n" + body.prefix(5)) || text.hasSuffix("\r\n\r\n" + body.prefix(3)),
                    "\(text)"
                )
                let multiplexed = try await fixture.http2()
                guard case .reset = try await multiplexed.outcome(of: try await multiplexed.open("/open/\(body)"))
                else {
                    Issue.record("\(body) was taken for whole")
                    continue
                }
                try await multiplexed.expectAlive()
            }
        }
    }

    @Test func requestWithMaximumFieldsArrives() async throws {
        let script: HTTP2Backend.Script = { call in try await call.respond(call.path) }
        try await withHTTP2Backend(script) { fixture, backend async throws in
            let client = try await fixture.connect()
            let fields = (0..<98).map { "X-Field-\($0): \($0)" }
            for _ in 0..<3 {
                #expect(try await client.request(fixture.head("/open/many", fields: fields)).status == 200)
            }
            #expect(backend.connections == 1)
        }
    }
}
