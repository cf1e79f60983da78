import Testing

/// A tenant with several servers: they take turns, and one that is down is passed over.
@Suite struct ServerTurnTests {
    private static func servers(_ names: String...) -> GatewaySetup {
        let list = names.map { "\"{\($0)}\"" }.joined(separator: ", ")
        return GatewaySetup(tenant: "backend: { servers: [\(list)] }")
    }

    @Test func twoServersTakeTurns() async throws {
        try await withGateway(Self.servers("backend", "other")) { fixture async throws in
            for number in 0..<20 { #expect(try await fixture.request("/open/\(number)").status == 200) }
            let even = stride(from: 0, to: 20, by: 2).map { "/open/\($0)" }
            let odd = stride(from: 1, to: 20, by: 2).map { "/open/\($0)" }
            let seen = [fixture.backend.requests.map(\.target), fixture.other.requests.map(\.target)]
            #expect(seen == [even, odd] || seen == [odd, even])
        }
    }

    @Test func serversTakeTurnsOnOneConnectionToo() async throws {
        try await withGateway(Self.servers("backend", "other")) { fixture async throws in
            let client = try await fixture.connect()
            try await client.send((0..<20).map { fixture.head("/open/\($0)") }.joined())
            for _ in 0..<20 { #expect(try await client.response().status == 200) }
            #expect(fixture.backend.requests.count == 10)
            #expect(fixture.other.requests.count == 10)
        }
    }

    @Test func aServerThatRefusesConnectionsCostsNoRequest() async throws {
        try await withGateway(Self.servers("backend", "nobody", "other")) { fixture async throws in
            for method in ["GET", "POST", "PUT", "DELETE"] {
                for _ in 0..<5 {
                    let raw = fixture.head("/open/x", method: method, fields: ["Content-Length: 5"]) + "hello"
                    #expect(try await fixture.send(raw, method: method).status == 200, "\(method)")
                }
            }
            let seen = fixture.backend.requests + fixture.other.requests
            #expect(seen.count == 20)
            let whole = seen.allSatisfy { $0.body.text == "hello" }
            #expect(whole)
            #expect(!fixture.backend.requests.isEmpty && !fixture.other.requests.isEmpty)
        }
    }

    @Test func aServerThatGoesDownCostsNoRequest() async throws {
        try await withGateway(Self.servers("backend", "other")) { fixture async throws in
            for _ in 0..<4 { #expect(try await fixture.request("/open/x").status == 200) }
            await fixture.other.stop()
            for _ in 0..<10 { #expect(try await fixture.request("/open/x").status == 200) }
            await fixture.backend.stop()
            expectRefusal(try await fixture.request("/open/x"), 503, "backend_unavailable")
        }
    }
}
