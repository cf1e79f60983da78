import Testing

/// A tenant with several servers: they take turns, and one that is down is passed over.
@Suite struct ServerTurnTests {
    private static func servers(_ names: String...) -> HouseSetup {
        let list = names.map { "\"{\($0)}\"" }.joined(separator: ", ")
        return HouseSetup(tenant: "backend: { servers: [\(list)] }")
    }

    @Test func twoServersTakeTurns() async throws {
        try await withHouse(Self.servers("backend", "other")) { house async throws in
            for number in 0..<20 { #expect(try await house.request("/open/\(number)").status == 200) }
            let even = stride(from: 0, to: 20, by: 2).map { "/open/\($0)" }
            let odd = stride(from: 1, to: 20, by: 2).map { "/open/\($0)" }
            let seen = [house.backend.requests.map(\.target), house.other.requests.map(\.target)]
            #expect(seen == [even, odd] || seen == [odd, even])
        }
    }

    @Test func serversTakeTurnsOnOneConnectionToo() async throws {
        try await withHouse(Self.servers("backend", "other")) { house async throws in
            let client = try await house.connect()
            try await client.send((0..<20).map { house.head("/open/\($0)") }.joined())
            for _ in 0..<20 { #expect(try await client.response().status == 200) }
            #expect(house.backend.requests.count == 10)
            #expect(house.other.requests.count == 10)
        }
    }

    @Test func aServerThatRefusesConnectionsCostsNoRequest() async throws {
        try await withHouse(Self.servers("backend", "nobody", "other")) { house async throws in
            for method in ["GET", "POST", "PUT", "DELETE"] {
                for _ in 0..<5 {
                    let raw = house.head("/open/x", method: method, fields: ["Content-Length: 5"]) + "hello"
                    #expect(try await house.send(raw, method: method).status == 200, "\(method)")
                }
            }
            let seen = house.backend.requests + house.other.requests
            #expect(seen.count == 20)
            let whole = seen.allSatisfy { $0.body.text == "hello" }
            #expect(whole)
            #expect(!house.backend.requests.isEmpty && !house.other.requests.isEmpty)
        }
    }

    @Test func aServerThatGoesDownCostsNoRequest() async throws {
        try await withHouse(Self.servers("backend", "other")) { house async throws in
            for _ in 0..<4 { #expect(try await house.request("/open/x").status == 200) }
            await house.other.stop()
            for _ in 0..<10 { #expect(try await house.request("/open/x").status == 200) }
            await house.backend.stop()
            expectRefusal(try await house.request("/open/x"), 503, "backend_unavailable")
        }
    }

    @Test func withoutAnyServerLeftItIsUnavailable() async throws {
        try await withHouse(Self.servers("nobody")) { house async throws in
            let client = try await house.connect()
            for _ in 0..<3 {
                try await client.send(house.head("/open/x"))
                expectRefusal(try await client.response(), 503, "backend_unavailable")
            }
        }
    }
}
