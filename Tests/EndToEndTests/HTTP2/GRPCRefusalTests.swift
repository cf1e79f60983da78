import Testing

/// Refused gRPC calls: one HEADERS frame that ends the stream, with the reason in its fields.
@Suite struct GRPCRefusalTests {
    private static let call = [("content-type", "application/grpc+proto"), ("te", "trailers")]

    /// The fields of a response that has no content and no trailers.
    private func refusal(_ client: HTTP2Client, on stream: Int) async throws -> FieldLines {
        guard case .fields(let fields, let end) = try await client.event(on: stream) else {
            throw Malformed("no head")
        }
        #expect(end)
        return fields
    }

    @Test func callWithoutTokenGetsTrailersOnly() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            let stream = try await client.open("/x", method: "POST", fields: Self.call, end: false)
            let fields = try await refusal(client, on: stream)
            #expect(fields[":status"] == ["200"])
            #expect(fields["content-type"] == ["application/grpc"])
            #expect(fields["grpc-status"] == ["16"])
            #expect(fields["grpc-message"] == ["missing_token"])
            #expect(fields["www-authenticate"].count == 1)
            #expect(fields["content-length"] == [])
            try await client.expectAlive()
            #expect(fixture.backend.requestsButCanaries.isEmpty)
        }
    }

    @Test func callWithHeadThatIsTooLargeGetsTrailersOnly() async throws {
        try await withGateway(GatewaySetup(gateway: "limits: { header_bytes: 8KiB }")) { fixture async throws in
            let client = try await fixture.http2()
            let fields = Self.call + [("x-a", String(repeating: "a", count: 9000))]
            let response = try await refusal(
                client,
                on: try await client.open("/open/x", method: "POST", fields: fields)
            )
            #expect(response["grpc-status"] == ["8"])
            try await client.expectAlive()
        }
    }

    /// There is no gRPC over HTTP/1.1: the client gets the HTTP status.
    @Test func callOverHTTP1GetsHTTPStatus() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.connect()
            let fields = ["Content-Type: application/grpc", "Content-Length: 0"]
            #expect(try await client.request(fixture.head("/x", method: "POST", fields: fields)).status == 401)
        }
    }

    /// A querying proxy treats status 200 as a grant, regardless of the fields that it passes on.
    @Test func decisionQueryAboutCallGetsHTTPStatus() async throws {
        let setup = GatewaySetup(gateway: "trusted_proxies: [127.0.0.1/32]\nlimits: { header_bytes: 8KiB }")
        try await withGateway(setup) { fixture async throws in
            let client = try await fixture.http2()
            let forwarded = [
                ("x-forwarded-method", "POST"), ("x-forwarded-host", "app.test"), ("x-forwarded-uri", "/x"),
            ]
            for more in [[], [("x-a", String(repeating: "a", count: 9000))]] {
                let stream = try await client.open(
                    "/.gatehouse/auth",
                    method: "POST",
                    fields: Self.call + forwarded + more
                )
                let status = try await client.response(on: stream).status
                #expect(status == (more.isEmpty ? 401 : 431))
            }
        }
    }

    /// The outcome is the same as of any other refusal, and the status what the client sees.
    @Test func callIsCountedWithItsOutcome() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            _ = try await client.request("/x", method: "POST", fields: Self.call)
            let metrics = try await fixture.metrics()
            let outcome = ["tenant": "app", "outcome": "missing_token"]
            #expect(metrics.value("gatehouse_auth_decisions_total", outcome) == 1)
        }
    }
}
