import TestSupport
import Testing

/// Clients that request much over one connection and read little of it.
@Suite struct UnreadResponseTests {
    private static let streams = 40
    private static let size = 128 << 10
    /// The most that is buffered for one connection.
    private static let bound = 1 << 20

    /// Without a minimum rate, which would end unread responses.
    private static let patient = GatewaySetup(tenant: "limits: { body_rate: 0 }")

    private func held(_ fixture: GatewayFixture) async throws -> Int {
        Int(try await fixture.metrics().value("gatehouse_client_backlog_bytes") ?? -1)
    }

    private static let large = BackendScript { exchange in
        try await exchange.body()
        let body = [UInt8](repeating: 7, count: size)
        try await exchange.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
        try await exchange.send(body)
    }

    @Test func unreadResponsesHoldAtMostOneMebibyte() async throws {
        try await withGateway(Self.patient, backend: Self.large) { fixture async throws in
            try await expectBound(fixture) { _ = try await fixture.backend.arrivals.next() }
        }
    }

    /// An HTTP/2 server sends what its windows allow before it learns that the client does not read.
    @Test func unreadResponsesOfHTTP2ServerHoldAtMostOneMebibyte() async throws {
        let script: HTTP2Backend.Script = { call in
            try await call.head(200, [("content-length", "\(Self.size)")])
            try await call.data([UInt8](repeating: 7, count: Self.size), end: true)
        }
        try await withHTTP2Backend(script, tenant: "limits: { body_rate: 0 }") { fixture, backend async throws in
            try await expectBound(fixture) { _ = try await backend.calls.next() }
        }
    }

    /// - Parameter arrival: Returns when another request is at the backend.
    private func expectBound(_ fixture: GatewayFixture, _ arrival: () async throws -> Void) async throws {
        let client = try await fixture.http2(.initialWindowSize(0))
        await client.keepWindowsShut()
        var streams: [Int] = []
        for _ in 0..<Self.streams { streams.append(try await client.open("/open/large")) }
        for _ in streams { try await arrival() }
        // By now every response was requested and most have arrived.
        var most = 0
        for _ in 0..<100 {
            #expect(try await client.sync())
            most = max(most, try await held(fixture))
        }
        #expect(most > 0)
        #expect(most <= Self.bound)
        // Other clients are served, and nothing is lost once this one reads.
        #expect(try await fixture.request("/open/large").body.bytes.count == Self.size)
        for stream in streams {
            try await client.send(.windowUpdate(stream, Self.size), .windowUpdate(0, Self.size))
        }
        for stream in streams {
            let response = try await client.response(on: stream)
            #expect(response.body.bytes.count == Self.size)
        }
        let left = try await fixture.metrics { $0.value("gatehouse_client_backlog_bytes") == 0 }
        #expect(left.value("gatehouse_client_backlog_bytes") == 0)
    }

    /// The response is complete at the gateway, so no exchange with a deadline is left.
    @Test func tinyWindowUpdatesDoNotExtendIdleTimeout() async throws {
        let body = String(repeating: "a", count: 4000)
        let script = BackendScript { exchange in
            try await exchange.body()
            try await exchange.sendOK(body)
        }
        let setup = GatewaySetup(gateway: "limits: { idle_timeout: 3s }")
        try await withGateway(setup, backend: script) { fixture async throws in
            let client = try await fixture.http2(.initialWindowSize(0))
            let stream = try await client.open("/open/x")
            _ = try await fixture.backend.arrivals.next()
            // One octet every few dozen round trips: far more often than the timeout, far below the minimum rate.
            var octets = 0
            var isClosed = false
            while !isClosed, octets < body.utf8.count {
                octets += 1
                _ = try? await client.send(.windowUpdate(stream, 1))
                for _ in 0..<50 where !isClosed { isClosed = try await !client.sync() }
            }
            #expect(isClosed)
        }
    }
}
