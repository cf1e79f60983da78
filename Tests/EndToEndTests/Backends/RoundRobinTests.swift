import Testing

/// Round robin over several servers, without those that are down.
@Suite struct RoundRobinTests {
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

    @Test func stoppedServerLosesNoRequest() async throws {
        try await withGateway(Self.servers("backend", "other")) { fixture async throws in
            for _ in 0..<4 { #expect(try await fixture.request("/open/x").status == 200) }
            await fixture.other.stop()
            for _ in 0..<10 { #expect(try await fixture.request("/open/x").status == 200) }
            await fixture.backend.stop()
            expectRefusal(try await fixture.request("/open/x"), 503, "backend_unavailable")
        }
    }
}
