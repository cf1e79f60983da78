import Testing
import Verification

/// CORS fields on every response, of the backend and of the gateway.
@Suite struct CrossOriginResponseTests {
    private static let cors =
        #"cors: { origins: ["https://front.test"], credentials: true, max_age: 90s, expose: [X-Total] }"#
    private static let exposed = "WWW-Authenticate, Retry-After, X-Total"
    private static let front = "Origin: https://front.test"

    private func expectShared(
        _ response: RawResponse,
        exposed: String = CrossOriginResponseTests.exposed,
        vary: [String] = ["origin"],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let fields = response.fields
        #expect(fields["Access-Control-Allow-Origin"] == ["https://front.test"], sourceLocation: sourceLocation)
        #expect(fields["Access-Control-Allow-Credentials"] == ["true"], sourceLocation: sourceLocation)
        #expect(fields["Access-Control-Expose-Headers"] == [exposed], sourceLocation: sourceLocation)
        #expect(fields["Vary"].count == 1, sourceLocation: sourceLocation)
        #expect(fields.list("Vary") == vary, sourceLocation: sourceLocation)
    }

    private func expectUnshared(_ response: RawResponse, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(!response.fields.names.contains { $0.hasPrefix("access-control-") }, sourceLocation: sourceLocation)
        #expect(response.fields.list("Vary").contains("origin"), sourceLocation: sourceLocation)
    }

    private static let talkative = BackendScript.response(
        "HTTP/1.1 200 OK\r\nAccess-Control-Allow-Origin: *\r\nVary: Accept\r\naccess-control-expose-headers: X-Theirs\r\n"
            + "Access_Control_Allow_Credentials: true\r\nVary: Accept-Language\r\nX-Total: 3\r\nContent-Length: 2\r\n\r\nok"
    )

    @Test func backendsCORSFieldsAreReplaced() async throws {
        try await withGateway(GatewaySetup(tenant: Self.cors), backend: Self.talkative) { fixture async throws in
            for isHTTP2 in [false, true] {
                let client = try await fixture.http2()
                func get(_ fields: [(String, String)]) async throws -> RawResponse {
                    if isHTTP2 { return try await client.request("/open/x", fields: fields) }
                    return try await fixture.request("/open/x", fields: fields.map { "\($0.0): \($0.1)" })
                }
                let shared = try await get([("origin", "https://front.test")])
                expectShared(shared, vary: ["accept", "accept-language", "origin"])
                #expect(shared.status == 200 && shared.body.text == "ok" && shared.fields["X-Total"] == ["3"])
                expectUnshared(try await get([("origin", "https://evil.test")]))
                let without = try await get([])
                expectUnshared(without)
                #expect(without.fields.list("Vary") == ["accept", "accept-language", "origin"])
            }
        }
    }

    @Test func refusalsAreReadableAcrossOrigins() async throws {
        let setup = GatewaySetup(
            tenant: Self.cors + "\nlimits: { body_bytes: 3 }",
            others: """
                gone:
                  hosts: [gone.test]
                  backend: { servers: ["{nobody}"] }
                  authenticate: { issuers: [ { issuer: "https://secret.test", audiences: [app], algorithms: [HS256], secret: "${TEST_SECRET}" } ] }
                  access: [ { path: /**, allow: anyone } ]
                  \(Self.cors)
                """
        )
        try await withGateway(setup) { fixture async throws in
            let client = try await fixture.http2()
            let front = [("origin", "https://front.test")]
            let unauthorized = try await fixture.request("/x", fields: [Self.front])
            expectRefusal(unauthorized, 401, "missing_token")
            expectShared(unauthorized)
            let overHTTP2 = try await client.request("/x", fields: front)
            expectRefusal(overHTTP2, 401, "missing_token")
            expectShared(overHTTP2)
            let gone = try await fixture.request("/x", host: "gone.test", fields: [Self.front])
            expectRefusal(gone, 503, "backend_unavailable")
            expectShared(gone)
            let ambiguous = try await fixture.request("/open/%2f", fields: [Self.front])
            expectRefusal(ambiguous, 400, "ambiguous_path")
            expectShared(ambiguous)
            let head = try await fixture.request("/x", method: "HEAD", fields: [Self.front])
            #expect(head.status == 401 && head.body.bytes.isEmpty && head.fields["Content-Length"].count == 1)
            expectShared(head)
            let large = try await fixture.send(
                "POST /open/x HTTP/1.1\r\nHost: app.test\r\n\(Self.front)\r\nContent-Length: 4\r\n\r\nlong",
                method: "POST"
            )
            expectRefusal(large, 413, "payload_too_large")
            expectShared(large)
            expectUnshared(try await fixture.request("/x", fields: ["Origin: https://evil.test"]))
            // An unknown host has no rules.
            let unknown = try await fixture.request("/x", host: "unknown.test", fields: [Self.front])
            #expect(unknown.status == 404 && unknown.fields["Vary"] == [])
        }
    }

    @Test func nextResponseOnConnectionUsesItsOwnRules() async throws {
        let setup = GatewaySetup(
            tenant: Self.cors,
            others: """
                plain:
                  hosts: [plain.test]
                  backend: { servers: ["{backend}"] }
                  authenticate: { issuers: [ { issuer: "https://secret.test", audiences: [app], algorithms: [HS256], secret: "${TEST_SECRET}" } ] }
                """
        )
        try await withGateway(setup) { fixture async throws in
            let client = try await fixture.connect()
            for _ in 0..<2 {
                expectShared(try await client.request(fixture.head("/open/x", fields: [Self.front])))
                let plain = try await client.request(fixture.head("/x", host: "plain.test", fields: [Self.front]))
                #expect(plain.status == 401)
                #expect(!plain.fields.names.contains { $0.hasPrefix("access-control-") || $0 == "vary" })
                expectUnshared(try await client.request(fixture.head("/open/x")))
            }
        }
    }

    // MARK: Preflights

    private static let question = [
        front, "Access-Control-Request-Method: PUT", "Access-Control-Request-Headers: authorization",
    ]

    private func expectPreflight(_ response: RawResponse, sourceLocation: SourceLocation = #_sourceLocation) {
        let fields = response.fields
        #expect(response.status == 204, sourceLocation: sourceLocation)
        #expect(fields["Access-Control-Allow-Origin"] == ["https://front.test"], sourceLocation: sourceLocation)
        #expect(fields["Access-Control-Allow-Credentials"] == ["true"], sourceLocation: sourceLocation)
        #expect(fields["Access-Control-Allow-Headers"] == ["authorization"], sourceLocation: sourceLocation)
        #expect(fields.list("Access-Control-Allow-Methods").contains("put"), sourceLocation: sourceLocation)
        #expect(fields["Access-Control-Max-Age"] == ["90"], sourceLocation: sourceLocation)
        #expect(
            fields.list("Vary") == ["origin", "access-control-request-method", "access-control-request-headers"],
            sourceLocation: sourceLocation
        )
        #expect(fields["Date"].count == 1 && fields["Content-Length"] == [], sourceLocation: sourceLocation)
    }

    @Test func preflightsAreAnsweredByGateway() async throws {
        try await withGateway(GatewaySetup(tenant: Self.cors)) { fixture async throws in
            let client = try await fixture.connect()
            for _ in 0..<3 {
                try await client.send(fixture.head("/x", method: "OPTIONS", fields: Self.question))
                expectPreflight(try await client.response(to: "OPTIONS"))
            }
            // One with an unread body, and then another request.
            let fields = Self.question + ["Content-Length: 5"]
            try await client.send(fixture.head("/x", method: "OPTIONS", fields: fields) + "12345")
            expectPreflight(try await client.response(to: "OPTIONS"))
            #expect(try await client.request(fixture.head("/open/x")).status == 200)
            let stream = try await fixture.http2()
            let lines = [
                ("origin", "https://front.test"), ("access-control-request-method", "PUT"),
                ("access-control-request-headers", "authorization"),
            ]
            for _ in 0..<3 {
                expectPreflight(try await stream.request("/x", method: "OPTIONS", fields: lines))
            }
            let body = try await stream.request("/x", method: "OPTIONS", fields: lines, body: [1, 2, 3])
            expectPreflight(body)
            #expect(fixture.backend.requests.map(\.target) == ["/open/x"])
        }
    }

    @Test func endpointsFollowCORSRules() async throws {
        var setup = GatewaySetup(
            tenant: """
                authenticate: { from: [bearer], issuers: [ { preset: built-in } ] }
                issuer: { url: "https://app.test", audience: app, algorithm: ES256 }
                headers: { response: { set: { X-Served-By: fixture, Cache-Control: "max-age=1" } } }
                \(Self.cors)
                """
        )
        setup.sealingKeys = GatewaySetup.sampleSealingKey
        try await withGateway(setup) { fixture async throws in
            let path = "/.well-known/openid-configuration"
            for method in ["GET", "HEAD"] {
                let document = try await fixture.request(path, method: method, fields: [Self.front])
                #expect(document.status == 200)
                #expect(document.fields["X-Served-By"] == ["fixture"])
                #expect(document.fields["Cache-Control"] != ["max-age=1"])
                expectShared(document)
            }
            let client = try await fixture.http2()
            expectShared(try await client.request(path, fields: [("origin", "https://front.test")]))
            expectPreflight(try await fixture.request("/oauth2/token", method: "OPTIONS", fields: Self.question))
            expectUnshared(try await fixture.request(path, fields: ["Origin: https://evil.test"]))
            let refused = try await fixture.request("/oauth2/token", fields: [Self.front])
            #expect(refused.status == 405 && refused.fields["X-Served-By"] == ["fixture"])
            #expect(refused.fields["Cache-Control"] == ["no-store"])
            expectShared(refused)
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    @Test func refreshedTokenIsReadableAcrossOrigins() async throws {
        try await withEndedSession(.refreshing(tenant: Self.cors), giving: .token) { fixture, _, session async throws in
            let response = try await fixture.request("/x", token: session.old, fields: [Self.front])
            #expect(response.status == 200 && response.fields["X-Refreshed-Token"] == [session.new])
            expectShared(response, exposed: "WWW-Authenticate, Retry-After, X-Refreshed-Token, X-Total")
        }
    }

    @Test func eventStreamsCarryCORSFields() async throws {
        let gate = Gate("the reader")
        let events = BackendScript { exchange in
            try await exchange.body()
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
            try await exchange.send(head + "9\r\ndata: 1\n\n\r\n")
            try await gate.passed()
            try await exchange.send("0\r\nVary: late\r\nX-Sum: 1\r\n\r\n")
        }
        try await withGateway(GatewaySetup(tenant: Self.cors), backend: events) { fixture async throws in
            let client = try await fixture.connect()
            try await client.send(fixture.head("/open/events", fields: [Self.front]))
            let head = try await client.head()
            expectShared(head)
            gate.open()
        }
    }
}
