import Testing
import Verification

/// Fields that are set and removed on the way, over real connections.
@Suite struct HeaderRulesTests {
    private static let setup = GatewaySetup(
        tenant: """
            headers:
              request: { set: { X-Api-Key: "${HOUSE_SECRET}" }, remove: [X-Debug] }
              response: { set: { Server: fixture }, remove: [X-Powered-By] }
              security: standard
            """
    )

    @Test func theBackendGetsWhatIsSetAlone() async throws {
        try await withGateway(Self.setup) { fixture async throws in
            let fields = ["x_api_key: forged", "X-API-KEY: forged", "X-Debug: 1", "x_debug: 1", "X-Debugger: 1"]
            #expect(try await fixture.request("/open/x", fields: fields).status == 200)
            let seen = try await fixture.backend.arrivals.next().fields
            #expect(seen["X-Api-Key"] == [TestIssuer.secret])
            #expect(seen.names.filter { $0.contains("debug") || $0.contains("api") } == ["x-debugger", "x-api-key"])
            let client = try await fixture.http2()
            let pairs = [("x-api-key", "forged"), ("x-debug", "1")]
            #expect(try await client.request("/open/x", fields: pairs).status == 200)
            let again = try await fixture.backend.arrivals.next().fields
            #expect(again["X-Api-Key"] == [TestIssuer.secret] && again["X-Debug"] == [])
        }
    }

    @Test func trailersAreHeldToTheSame() async throws {
        let trailing = BackendScript { exchange in
            try await exchange.body()
            try await exchange.send(
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Powered-By: a\r\nX-Sum: 1\r\n\r\n"
            )
        }
        try await withGateway(Self.setup, backend: trailing) { fixture async throws in
            let answer = try await fixture.send(
                "POST /open/x HTTP/1.1\r\nHost: app.test\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "0\r\nX-Debug: 1\r\nx_api_key: forged\r\nX-Own: 1\r\n\r\n",
                method: "POST"
            )
            #expect(answer.body.trailers.names == ["x-sum"])
            #expect(try await fixture.backend.arrivals.next().body.trailers.names == ["x-own"])
            let client = try await fixture.http2()
            #expect(try await client.request("/open/x").body.trailers.names == ["x-sum"])
        }
    }

    @Test func theClientGetsWhatIsSetWhoeverAnswers() async throws {
        let talkative = BackendScript.answers(
            "HTTP/1.1 200 OK\r\nserver: theirs\r\nx_powered_by: a\r\nX-Frame-Options: DENY\r\nContent-Length: 0\r\n\r\n"
        )
        try await withGateway(Self.setup, backend: talkative) { fixture async throws in
            let client = try await fixture.http2()
            let backend = [try await fixture.request("/open/x"), try await client.request("/open/x")]
            let refusals = [try await fixture.request("/x"), try await client.request("/x")]
            for answer in backend + refusals {
                #expect(answer.fields["Server"] == ["fixture"])
                #expect(answer.fields["X-Content-Type-Options"] == ["nosniff"])
                #expect(answer.fields["Referrer-Policy"] == ["strict-origin-when-cross-origin"])
                #expect(!answer.fields.names.contains { $0.contains("powered") })
                // Nothing of this came by TLS.
                #expect(answer.fields["Strict-Transport-Security"] == [])
                #expect(answer.fields["Vary"] == [])
            }
            for answer in backend { #expect(answer.fields["X-Frame-Options"] == ["DENY"]) }
            for answer in refusals {
                expectRefusal(answer, 401, "missing_token")
                #expect(answer.fields["X-Frame-Options"] == ["SAMEORIGIN"])
            }
        }
    }

    @Test func connectionsGoOnAfterRefusals() async throws {
        try await withGateway(Self.setup) { fixture async throws in
            let client = try await fixture.connect()
            for _ in 0..<3 {
                try await client.send(fixture.head("/x"))
                let refused = try await client.response()
                #expect(refused.status == 401 && refused.fields["Connection"] == [])
                try await client.send(fixture.head("/open/x"))
                #expect(try await client.response().body.text == "ok")
            }
            try await client.send("GET /x HTTP/1.0\r\nHost: app.test\r\n\r\n")
            #expect(try await client.response().fields.list("Connection") == ["close"])
        }
    }
}
