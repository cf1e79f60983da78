import TestSupport
import Testing

/// Limits on requests.
@Suite struct LimitTests {
    /// Expects a problem document with this status, and the end of the connection. Heads have no refusal code of their
    /// own.
    private func expectClosed(_ client: RawClient, _ status: Int, _ comment: String = "") async throws {
        let response = try await client.response()
        #expect(response.status == status, "\(comment)")
        #expect(response.fields["Content-Type"] == ["application/problem+json"], "\(comment)")
        #expect(response.fields["Cache-Control"] == ["no-store"], "\(comment)")
        #expect(Problem(response)?.status == status, "\(comment)")
        try await client.untilClosed()
    }

    @Test func targetOver8KiBIsTooLong() async throws {
        try await withGateway { fixture async throws in
            let fits = "/open/" + String(repeating: "a", count: 8000)
            #expect(try await fixture.request(fits).status == 200)
            for target in [
                "/open/" + String(repeating: "a", count: 8192), "/open?" + String(repeating: "b", count: 8192),
            ] {
                let client = try await fixture.connect()
                try await client.send(fixture.head(target))
                try await expectClosed(client, 414)
            }
            #expect(fixture.backend.requests.count == 1)
        }
    }

    @Test func fieldsOverLimitAreTooLarge() async throws {
        let setup = GatewaySetup(gateway: "limits: { header_bytes: 4KiB, headers: 100 }")
        try await withGateway(setup) { fixture async throws in
            let fits = String(repeating: "a", count: 3000)
            #expect(try await fixture.request("/open/x", fields: ["X-A: \(fits)"]).status == 200)
            let large = [
                ["X-A: \(String(repeating: "a", count: 5000))"],
                (0..<50).map { "X-\($0): \(String(repeating: "b", count: 100))" },
                [String(repeating: "n", count: 5000) + ": 1"],
            ]
            for fields in large {
                let client = try await fixture.connect()
                try await client.send(fixture.head("/open/x", fields: fields))
                try await expectClosed(client, 431)
            }
            #expect(fixture.backend.requests.count == 1)
        }
    }

    @Test func moreFieldsThanAllowedAreTooMany() async throws {
        try await withGateway(GatewaySetup(gateway: "limits: { headers: 20 }")) { fixture async throws in
            let fields = (0..<30).map { "X-\($0): 1" }
            #expect(try await fixture.request("/open/x", fields: Array(fields.prefix(15))).status == 200)
            let client = try await fixture.connect()
            try await client.send(fixture.head("/open/x", fields: fields))
            try await expectClosed(client, 431)
            #expect(fixture.backend.requests.count == 1)
        }
    }

    @Test func trailersAreBoundedLikeFields() async throws {
        try await withGateway(GatewaySetup(gateway: "limits: { header_bytes: 4KiB }")) { fixture async throws in
            let client = try await fixture.connect()
            let head = fixture.head("/open/x", method: "POST", fields: ["Transfer-Encoding: chunked"])
            let status = try await client.request(head + "0\r\nX-T: " + String(repeating: "a", count: 20_000)).status
            #expect(status == 431 || status == 400)
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    private static let smallBodies = GatewaySetup(tenant: "limits: { body_bytes: 1KiB }")

    @Test func lengthOverBodyLimitIsRefusedAtOnce() async throws {
        try await withGateway(Self.smallBodies) { fixture async throws in
            let client = try await fixture.connect()
            try await client.send(fixture.head("/open/x", method: "POST", fields: ["Content-Length: 1025"]))
            expectRefusal(try await client.response(to: "POST"), 413, "payload_too_large")
            #expect(fixture.backend.requests.isEmpty)
            #expect(fixture.backend.heads.takeReady() == nil)
        }
    }

    @Test func chunkedBodyOverLimitIsRefused() async throws {
        try await withGateway(Self.smallBodies) { fixture async throws in
            let client = try await fixture.connect()
            let head = fixture.head("/open/x", method: "POST", fields: ["Transfer-Encoding: chunked"])
            let chunk = "200\r\n" + String(repeating: "a", count: 512) + "\r\n"
            try await client.send(head + chunk + chunk + chunk + "0\r\n\r\n")
            expectRefusal(try await client.response(to: "POST"), 413, "payload_too_large")
            try await client.untilClosed()
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    @Test func bodyAtLimitPasses() async throws {
        try await withGateway(Self.smallBodies) { fixture async throws in
            let body = String(repeating: "a", count: 1024)
            let counted = fixture.head("/open/x", method: "POST", fields: ["Content-Length: 1024"]) + body
            #expect(try await fixture.send(counted, method: "POST").status == 200)
            let head = fixture.head("/open/x", method: "POST", fields: ["Transfer-Encoding: chunked"])
            #expect(try await fixture.send(head + "400\r\n\(body)\r\n0\r\n\r\n", method: "POST").status == 200)
            #expect(fixture.backend.requests.map(\.body.bytes.count) == [1024, 1024])
        }
    }
}
