import Testing
import Verification

/// Questions keep to HTTP like all requests, whichever version the proxy speaks.
@Suite struct ForwardAuthProtocolTests {
    private static let told = ForwardAuthTests.told("/orders")

    @Test func connectionsGoOnWithManyQuestionsInLine() async throws {
        try await withGateway(ForwardAuthTests.trusting) { fixture async throws in
            let good = fixture.head("/.gatehouse/auth", token: try fixture.token(), fields: Self.told)
            let bad = fixture.head("/.gatehouse/auth", fields: Self.told)
            let client = try await fixture.connect()
            try await client.send(good + bad + good + fixture.head("/open/x"))
            for status in [200, 401, 200, 200] { #expect(try await client.response().status == status) }
            #expect(fixture.backend.requests.count == 1)
        }
    }

    @Test func aBodyIsReadPast() async throws {
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

    @Test func aLongBodyIsNotReadForEver() async throws {
        try await withGateway(ForwardAuthTests.trusting) { fixture async throws in
            let fields = ["Content-Length: 10000000"]
            let head = fixture.head("/.gatehouse/auth/open/x", method: "POST", fields: fields)
            let client = try await fixture.connect()
            try await client.send(head)
            #expect(try await client.response(to: "POST").status == 200)
            // What the gateway does not take makes the write fail; it does not have to take all of it.
            try? await client.send(Array(repeating: 0x78, count: 1 << 20))
            try await client.untilClosed()
        }
    }

    @Test func headGetsNoBody() async throws {
        try await withGateway(ForwardAuthTests.trusting) { fixture async throws in
            let client = try await fixture.connect()
            try await client.send(fixture.head("/.gatehouse/auth/orders", method: "HEAD"))
            #expect(try await client.response(to: "HEAD").status == 401)
            // Asked about a HEAD by a GET, the refusal has one.
            let fields = ForwardAuthTests.told("/orders", method: "HEAD")
            try await client.send(fixture.head("/.gatehouse/auth", fields: fields))
            expectRefusal(try await client.response(), 401, "missing_token")
        }
    }

    @Test func questionsComeByHTTP2Too() async throws {
        try await withGateway(ForwardAuthTests.trusting) { fixture async throws in
            let client = try await fixture.http2()
            let token = ("authorization", "Bearer \(try fixture.token())")
            let told = Self.told.map { line in
                let parts = line.split(separator: ":", maxSplits: 1)
                return (parts[0].lowercased(), parts[1].trimmingSpaces)
            }
            let granted = try await client.open("/.gatehouse/auth", authority: "x.test", fields: told + [token])
            let passed = try await client.answer(on: granted)
            #expect(passed.status == 200)
            #expect(passed.fields["x-user-id"] == ["alice"])
            let refused = try await client.open("/.gatehouse/auth", authority: "x.test", fields: told)
            expectRefusal(try await client.answer(on: refused), 401, "missing_token")
            let body = try await client.open(
                "/.gatehouse/auth/orders",
                method: "POST",
                fields: [token],
                body: Array(repeating: 0x78, count: 100_000)
            )
            #expect(try await client.answer(on: body, to: "POST").status == 200)
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    /// A signature that takes its time is checked beside the loop: the answer waits for it, and so do those in line.
    @Test func aSlowCheckIsWaitedFor() async throws {
        try await withGateway(ForwardAuthTests.trusting) { fixture async throws in
            let client = try await fixture.connect()
            let tokens = try (0..<40).map { try fixture.token(["sub": .string("user-\($0)")], algorithm: .es256) }
            let heads = tokens.map { fixture.head("/.gatehouse/auth", token: $0, fields: Self.told) }
            try await client.send(heads.joined())
            for number in tokens.indices {
                let answer = try await client.response()
                #expect(answer.status == 200)
                #expect(answer.fields["X-User-Id"] == ["user-\(number)"])
            }
        }
    }
}
