import Testing
import Verification

/// An introspection server that is down, slow or broken refuses every token.
@Suite struct IntrospectionFaultTests {
    private static let token = "opaque-2YotnFZFEjr1zCsicMWpAA"

    private static func json(_ body: String, status: String = "200 OK", fields: String = "") -> String {
        "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\(fields)\r\n\(body)"
    }

    private func expectUnavailable(_ response: RawResponse, _ comment: String = "") {
        expectRefusal(response, 503, "store_unavailable", comment)
        #expect(response.fields["Retry-After"] == ["1"])
    }

    @Test(arguments: [
        json("{\"active\":\"true\"}"), json("{}"), json(""), json("true"), json("[{\"active\":true}]"),
        json("{\"active\":true,\"active\":true,\"exp\":4102444800}"), json("{\"active\":true", fields: ""),
        json("{\"active\":true,\"exp\":4102444800,\"aud\":\"app\"}", status: "201 Created"),
        json("{\"active\":true,\"exp\":4102444800,\"aud\":\"app\"}", status: "400 Bad Request"),
        json("{\"active\":true,\"exp\":4102444800,\"aud\":\"app\"}", status: "500 Internal Server Error"),
        json("{\"active\":true,\"exp\":4102444800,\"aud\":\"app\"}", status: "503 Service Unavailable"),
        json("", status: "302 Found", fields: "Location: /introspect?tenant=1\r\n"),
        json("", status: "307 Temporary Redirect", fields: "Location: /introspect?tenant=1\r\n"),
        json(String(repeating: " ", count: 70_000) + "{\"active\":true,\"exp\":4102444800,\"aud\":\"app\"}"),
        json(String(repeating: " ", count: 300_000)), "SMTP ready\r\n\r\n",
    ])
    func invalidIntrospectionResponseRefuses(raw: String) async throws {
        try await withIntrospection { fixture, stub, _ async throws in
            stub.respond(to: fixture.keepSecret(Self.token), raw)
            expectUnavailable(try await fixture.request("/x", token: Self.token), String(raw.prefix(40)))
            #expect(fixture.backend.requests.isEmpty)
            // Other issuers are not affected.
            #expect(try await fixture.request("/x", token: try fixture.token()).status == 200)
            #expect(try await fixture.request("/open/x", token: Self.token).status == 200)
        }
    }

    @Test func brokenConnectionIsRetriedOnce() async throws {
        try await withIntrospection { fixture, stub, server async throws in
            stub.respond(to: fixture.keepSecret(Self.token), "")
            expectUnavailable(try await fixture.request("/x", token: Self.token))
            #expect(stub.asked == [Self.token, Self.token])
            #expect(server.connections == 2)
        }
    }

    @Test func wrongIntrospectionCredentialsRefuse() async throws {
        let tenant = "max_staleness: 11m"
        try await withIntrospection("issuer: https://id.test\ncache: 1h", tenant: tenant) {
            fixture,
            stub,
            _ async throws in
            stub.respond(to: fixture.keepSecret(Self.token), Self.json("", status: "401 Unauthorized"))
            expectUnavailable(try await fixture.request("/x", token: Self.token))
            #expect(fixture.log.text.contains("client_refused"))
        }
    }

    /// A server that never responds blocks only requests that need it.
    @Test func slowIntrospectionHoldsUpOnlyItsRequests() async throws {
        try await withIntrospection { fixture, stub, server async throws in
            let gate = Gate("the introspection endpoint")
            stub.wait(at: gate)
            stub.activate(fixture.keepSecret(Self.token))
            let waiting = try await fixture.connect()
            try await waiting.send(fixture.head("/slow", token: Self.token))
            _ = try await server.arrivals.next()
            for _ in 0..<20 { #expect(try await fixture.request("/x", token: try fixture.token()).status == 200) }
            gate.open()
            #expect(try await waiting.response().status == 200)
            #expect(fixture.backend.requests.last?.target == "/slow")
        }
    }
}
