import Testing

/// What clients of HTTP/1.1 get of a server that speaks HTTP/2, which many of them share.
@Suite struct HTTP2BackendAnswerTests {
    @Test func clientsThatShareAConnectionGetTheirOwnAnswers() async throws {
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

    /// Bytes behind such a head would be the next answer on the client's connection. The server of these tests refuses to
    /// send them after a HEAD or a 304, for which the gateway has the same rule.
    @Test func contentWhereThereIsNoneNeverReachesTheClient() async throws {
        let stray = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nstolen"
        let script: HTTP2Backend.Script = { call in
            guard call.path.hasSuffix("stray") else { return try await call.answer(call.path) }
            try await call.head(204)
            try await call.data(Array(stray.utf8), end: true)
        }
        try await withHTTP2Backend(script) { fixture, _ async throws in
            let client = try await fixture.connect()
            try await client.send(fixture.head("/open/stray"))
            let response = try await client.response()
            #expect(response.status == 204)
            #expect(try await client.untilClosed().text == "")
            #expect(try await fixture.request("/open/next").body.text == "/open/next")
        }
    }

    /// RFC 9113 section 8.1.1, the server being the one at fault.
    @Test func answerOfAnotherLengthIsCutAndNothingOfItsSurplusPassedOn() async throws {
        let script: HTTP2Backend.Script = { call in
            guard let body = call.path.split(separator: "/").last, body != "canary" else {
                return try await call.answer()
            }
            try await call.head(200, [("content-length", "5")])
            try await call.data(Array(body.utf8.prefix(3)))
            try await call.data(Array(body.utf8.dropFirst(3)), end: true)
        }
        // The library that is the server here would not send such an answer by itself.
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

    @Test func aRequestWithAsManyFieldsAsAreAllowedArrives() async throws {
        let script: HTTP2Backend.Script = { call in try await call.answer(call.path) }
        try await withHTTP2Backend(script) { fixture, backend async throws in
            let client = try await fixture.connect()
            let fields = (0..<98).map { "X-Field-\($0): \($0)" }
            for _ in 0..<3 {
                try await client.send(fixture.head("/open/many", fields: fields))
                #expect(try await client.response().status == 200)
            }
            #expect(backend.connections == 1)
        }
    }
}
