import Testing
import Verification

/// HTTP semantics of decision queries.
@Suite struct ForwardAuthProtocolTests {
    private static let forwarded = ForwardAuthTests.forwarded("/orders")

    @Test func connectionContinuesAcrossPipelinedQueries() async throws {
        try await withGateway(ForwardAuthTests.trusting) { fixture async throws in
            let good = fixture.head("/.gatehouse/auth", token: try fixture.token(), fields: Self.forwarded)
            let bad = fixture.head("/.gatehouse/auth", fields: Self.forwarded)
            let client = try await fixture.connect()
            try await client.send(good + bad + good + fixture.head("/open/x"))
            for status in [200, 401, 200, 200] { #expect(try await client.response().status == status) }
            #expect(fixture.backend.requests.count == 1)
        }
    }

    @Test func bodyOfDecisionQueryIsSkipped() async throws {
        try await withGateway(ForwardAuthTests.trusting) { fixture async throws in
            let token = try fixture.token()
            let client = try await fixture.connect()
            for length in [0, 3, 64 << 10] {
                let head = fixture.head(
                    "/.gatehouse/auth/orders",
                    method: "POST",
                    token: token,
                    fields: ["Content-Length: \(length)"]
                )
                try await client.send(head + String(repeating: "x", count: length))
                #expect(try await client.response(to: "POST").status == 200, "\(length)")
            }
            let chunked = ["Transfer-Encoding: chunked"]
            let head = fixture.head("/.gatehouse/auth/orders", method: "POST", token: token, fields: chunked)
            try await client.send(
                head + "3\r\nabc\r\n0\r\n\r\n" + fixture.head("/.gatehouse/auth/orders", token: token)
            )
            #expect(try await client.response(to: "POST").status == 200)
            #expect(try await client.response().status == 200)
        }
    }

    @Test func longBodyOfDecisionQueryClosesConnection() async throws {
        try await withGateway(ForwardAuthTests.trusting) { fixture async throws in
            let fields = ["Content-Length: 10000000"]
            let head = fixture.head("/.gatehouse/auth/open/x", method: "POST", fields: fields)
            let client = try await fixture.connect()
            try await client.send(head)
            #expect(try await client.response(to: "POST").status == 200)
            // The gateway need not read all of it, so the write may fail.
            try? await client.send(Array(repeating: 0x78, count: 1 << 20))
            try await client.untilClosed()
        }
    }

    @Test func headQueryGetsNoBody() async throws {
        try await withGateway(ForwardAuthTests.trusting) { fixture async throws in
            let client = try await fixture.connect()
            try await client.send(fixture.head("/.gatehouse/auth/orders", method: "HEAD"))
            #expect(try await client.response(to: "HEAD").status == 401)
            // A GET query about a HEAD request has a body.
            let fields = ForwardAuthTests.forwarded("/orders", method: "HEAD")
            try await client.send(fixture.head("/.gatehouse/auth", fields: fields))
            expectRefusal(try await client.response(), 401, "missing_token")
        }
    }

    @Test func decisionQueriesWorkOverHTTP2() async throws {
        try await withGateway(ForwardAuthTests.trusting) { fixture async throws in
            let client = try await fixture.http2()
            let token = ("authorization", "Bearer \(try fixture.token())")
            let forwarded = Self.forwarded.map { line in
                let parts = line.split(separator: ":", maxSplits: 1)
                return (parts[0].lowercased(), parts[1].trimmingSpaces)
            }
            let granted = try await client.open("/.gatehouse/auth", authority: "x.test", fields: forwarded + [token])
            let passed = try await client.response(on: granted)
            #expect(passed.status == 200)
            #expect(passed.fields["x-user-id"] == ["alice"])
            let refused = try await client.open("/.gatehouse/auth", authority: "x.test", fields: forwarded)
            expectRefusal(try await client.response(on: refused), 401, "missing_token")
            let body = try await client.open(
                "/.gatehouse/auth/orders",
                method: "POST",
                fields: [token],
                body: Array(repeating: 0x78, count: 100_000)
            )
            #expect(try await client.response(on: body, to: "POST").status == 200)
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    /// Slow signatures are verified off the event loop: the response and the pipelined ones wait.
    @Test func pipelinedQueriesWaitForSlowVerification() async throws {
        try await withGateway(ForwardAuthTests.trusting) { fixture async throws in
            let client = try await fixture.connect()
            let tokens = try (0..<40).map { try fixture.token(["sub": .string("user-\($0)")], algorithm: .es256) }
            let heads = tokens.map { fixture.head("/.gatehouse/auth", token: $0, fields: Self.forwarded) }
            try await client.send(heads.joined())
            for number in tokens.indices {
                let response = try await client.response()
                #expect(response.status == 200)
                #expect(response.fields["X-User-Id"] == ["user-\(number)"])
            }
        }
    }
}
