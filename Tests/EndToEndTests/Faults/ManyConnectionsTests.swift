import Tenants
import Testing

/// Connections that are opened and left.
@Suite struct ManyConnectionsTests {
    private static let long = "limits: { connections: 20000, header_timeout: 1h, idle_timeout: 1h }"

    /// 10,000 if the process may open enough files for both ends.
    @Test func idleConnectionsDoNotHoldUpOthers() async throws {
        let count = OpenFiles.limit(for: 10_000)
        try #require(count >= 100)
        try await withGateway(.failing(gateway: Self.long)) { fixture async throws in
            let left = try IdleSockets(count: count, port: fixture.address.port)
            try await fixture.expectConnections { $0 >= Double(count) }
            try await fixture.expectNeighbourServed(times: 20)
            for request in try await fixture.sendBoth("/open/x") {
                #expect(try await request.response().status == 200)
                await request.close()
            }
            left.close()
            try await fixture.expectConnections { $0 < 10 }
            try await fixture.expectNeighbourServed()
        }
    }

    @Test func silentConnectionsAreDropped() async throws {
        let setup = GatewaySetup.failing(gateway: "limits: { header_timeout: 3s, idle_timeout: 3s }")
        try await withGateway(setup) { fixture async throws in
            var left: [RawClient] = []
            for _ in 0..<50 { left.append(try await fixture.connect()) }
            var leftOverHTTP2: [HTTP2Client] = []
            for _ in 0..<50 { leftOverHTTP2.append(try await fixture.http2()) }
            try await fixture.expectNeighbourServed()
            for client in left { #expect(try await client.untilClosed() == []) }
            for client in leftOverHTTP2 {
                while try await client.event(on: 0) != nil {}
                #expect(await client.lastGoAway?.code == .noError)
            }
            try await fixture.expectNeighbourServed()
        }
    }
}

extension GatewayFixture {
    /// Waits for the number of client connections that the gateway counts.
    fileprivate func expectConnections(_ holds: (Double) -> Bool) async throws {
        var last = 0.0
        for _ in 0..<10_000 {
            last = try await metrics().value("gatehouse_connections", ["state": "open"]) ?? -1
            if holds(last) { return }
        }
        Issue.record("\(last) connections")
    }
}
