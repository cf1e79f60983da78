import Testing

/// 1xx responses and `Expect: 100-continue` (RFC 9110 sections 10.1.1 and 15.2).
@Suite struct InterimResponseTests {
    private static let expecting = """
        POST /open/x HTTP/1.1\r
        Host: app.test\r
        Content-Length: 5\r
        Expect: 100-continue\r
        \r

        """

    @Test func expectingClientGets100() async throws {
        try await withGateway(backend: .echo) { fixture async throws in
            let client = try await fixture.connect()
            try await client.send(Self.expecting)
            #expect(try await client.head(to: "POST").status == 100)
            let response = try await client.request("hello", method: "POST")
            #expect(response.status == 200)
            #expect(response.interim.isEmpty)
            #expect(response.body.text == "hello")
        }
    }

    @Test func clientThatDoesNotAwait100IsServed() async throws {
        try await withGateway(backend: .echo) { fixture async throws in
            let client = try await fixture.connect()
            for _ in 0..<2 {
                let response = try await client.request(Self.expecting + "hello", method: "POST")
                #expect(response.status == 200)
                #expect(response.body.text == "hello")
            }
        }
    }

    @Test func refusalPrecedesExpectedBody() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.connect()
            let response = try await client.request(Self.expecting.replacing("/open/x", with: "/x"), method: "POST")
            #expect(response.interim.isEmpty)
            expectRefusal(response, 401, "missing_token")
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    @Test func backendsFinalResponsePrecedesExpectedBody() async throws {
        let script = BackendScript { exchange in
            exchange.skipBody()
            try await exchange.send("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno")
            await exchange.close()
        }
        try await withGateway(backend: script) { fixture async throws in
            let client = try await fixture.connect()
            try await client.send(Self.expecting)
            #expect(try await client.response(to: "POST").status == 403)
        }
    }

    @Test func earlyHintsArePassedOn() async throws {
        let hints = "HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n"
        let raw = hints + "HTTP/1.1 102 Processing\r\n\r\n" + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        try await withGateway(backend: .response(raw)) { fixture async throws in
            let client = try await fixture.connect()
            for _ in 0..<2 {
                let response = try await client.request(fixture.head("/open/x"))
                #expect(response.status == 200)
                #expect(response.interim.map(\.status) == [103, 102])
                #expect(response.interim.first?.fields["Link"] == ["</a.css>; rel=preload"])
            }
        }
    }

    @Test func http10ClientGetsNoInterimResponses() async throws {
        let raw = "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        try await withGateway(backend: .response(raw)) { fixture async throws in
            let response = try await fixture.send("GET /open/x HTTP/1.0\r\nHost: app.test\r\n\r\n")
            #expect(response.interim.isEmpty)
            #expect(response.body.text == "ok")
        }
    }
}
