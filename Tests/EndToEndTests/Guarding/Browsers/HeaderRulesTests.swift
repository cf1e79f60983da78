import Testing
import Verification

/// Header rules over real connections.
@Suite struct HeaderRulesTests {
    private static let setup = GatewaySetup(
        tenant: """
            headers:
              request: { set: { X-Api-Key: "${TEST_SECRET}" }, remove: [X-Debug] }
              response: { set: { Server: fixture }, remove: [X-Powered-By] }
              security: standard
            """
    )

    @Test func requestHeaderRulesReplaceClientsFields() async throws {
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

    @Test func headerRulesApplyToTrailers() async throws {
        let trailing = BackendScript { exchange in
            try await exchange.body()
            try await exchange.send(
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Powered-By: a\r\nX-Sum: 1\r\n\r\n"
            )
        }
        try await withGateway(Self.setup, backend: trailing) { fixture async throws in
            let response = try await fixture.send(
                "POST /open/x HTTP/1.1\r\nHost: app.test\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "0\r\nX-Debug: 1\r\nx_api_key: forged\r\nX-Own: 1\r\n\r\n",
                method: "POST"
            )
            #expect(response.body.trailers.names == ["x-sum"])
            #expect(try await fixture.backend.arrivals.next().body.trailers.names == ["x-own"])
            let client = try await fixture.http2()
            #expect(try await client.request("/open/x").body.trailers.names == ["x-sum"])
        }
    }

    @Test func responseHeaderRulesApplyToEveryResponse() async throws {
        let talkative = BackendScript.response(
            "HTTP/1.1 200 OK\r\nserver: theirs\r\nx_powered_by: a\r\nX-Frame-Options: DENY\r\nContent-Length: 0\r\n\r\n"
        )
        try await withGateway(Self.setup, backend: talkative) { fixture async throws in
            let client = try await fixture.http2()
            let backend = [try await fixture.request("/open/x"), try await client.request("/open/x")]
            let refusals = [try await fixture.request("/x"), try await client.request("/x")]
            for response in backend + refusals {
                #expect(response.fields["Server"] == ["fixture"])
                #expect(response.fields["X-Content-Type-Options"] == ["nosniff"])
                #expect(response.fields["Referrer-Policy"] == ["strict-origin-when-cross-origin"])
                #expect(!response.fields.names.contains { $0.contains("powered") })
                // The request was not over TLS.
                #expect(response.fields["Strict-Transport-Security"] == [])
                #expect(response.fields["Vary"] == [])
            }
            for response in backend { #expect(response.fields["X-Frame-Options"] == ["DENY"]) }
            for response in refusals {
                expectRefusal(response, 401, "missing_token")
                #expect(response.fields["X-Frame-Options"] == ["SAMEORIGIN"])
            }
        }
    }

    @Test func connectionsContinueAfterRefusals() async throws {
        try await withGateway(Self.setup) { fixture async throws in
            let client = try await fixture.connect()
            for _ in 0..<3 {
                let refused = try await client.request(fixture.head("/x"))
                #expect(refused.status == 401 && refused.fields["Connection"] == [])
                #expect(try await client.request(fixture.head("/open/x")).body.text == "ok")
            }
            try await client.send("GET /x HTTP/1.0\r\nHost: app.test\r\n\r\n")
            #expect(try await client.response().fields.list("Connection") == ["close"])
        }
    }
}
