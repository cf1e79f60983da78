import Testing

/// Many requests on one connection, without waiting for their responses (RFC 9112 section 9.3.2).
@Suite struct PipelineTests {
    @Test func tenThousandPipelinedRefusalsAreAnsweredInOrder() async throws {
        try await withGateway { fixture async throws in
            let count = 10_000
            let client = try await fixture.connect()
            // Every seventh request is refused differently, so that the order shows.
            let requests = (0..<count).map { number in
                number.isMultiple(of: 7) ? fixture.head("/x", host: "unheard-of.test") : fixture.head("/x")
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await client.send(requests.joined()) }
                var wrong: [Int] = []
                for number in 0..<count {
                    let status = try await client.response().status
                    if status != (number.isMultiple(of: 7) ? 404 : 401) { wrong.append(number) }
                }
                #expect(wrong == [])
                try await group.waitForAll()
            }
            #expect(try await client.request(fixture.head("/open/after")).status == 200)
            #expect(fixture.backend.requests.map(\.target) == ["/open/after"])
        }
    }

    @Test func pipelinedRequestsWithoutServerAreRefused() async throws {
        try await withGateway(GatewaySetup(tenant: "backend: { servers: [\"{nobody}\"] }")) { fixture async throws in
            let count = 1000
            let client = try await fixture.connect()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await client.send(String(repeating: fixture.head("/open/x"), count: count)) }
                for _ in 0..<count { #expect(try await client.response().status == 503) }
                try await group.waitForAll()
            }
        }
    }

    @Test func bodiesOfRefusedPipelinedRequestsAreSkipped() async throws {
        try await withGateway { fixture async throws in
            let count = 1000
            let client = try await fixture.connect()
            let inner = fixture.head("/open/smuggled")
            let refused = fixture.head("/x", method: "POST", fields: ["Content-Length: \(inner.utf8.count)"]) + inner
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await client.send(String(repeating: refused, count: count)) }
                for _ in 0..<count { #expect(try await client.response(to: "POST").status == 401) }
                try await group.waitForAll()
            }
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    /// Timeouts that a loaded machine does not reach.
    private static let patient = GatewaySetup(gateway: "limits: { idle_timeout: 10m, header_timeout: 10m }")

    @Test func unreadRefusalsHoldUpLaterRequests() async throws {
        try await withGateway(Self.patient) { fixture async throws in
            let writes = 100
            let requests = Array(String(repeating: fixture.head("/x"), count: 2000).utf8)
            let client = try await fixture.connect(receiveBuffer: 64 << 10)
            let flood = Task { for _ in 0..<writes { try await client.send(requests) } }
            try await fixture.ping(times: 2000)
            // The socket buffers hold about 10,000 of the 200,000 responses.
            let refused = try await fixture.metrics().value("gatehouse_requests_total", ["status": "401"])
            #expect(try #require(refused) < 50_000)
            await client.close()
            _ = await flood.result
            #expect(try await fixture.request("/open/x").status == 200)
        }
    }

    private static let page = String(repeating: "x", count: 4 << 10)

    /// A page, or a ping.
    private static let pages = BackendScript { exchange in
        try await exchange.body()
        try await exchange.sendOK(exchange.head.path == "/open/page" ? page : "ok")
    }

    /// Requests 4000 pages and reads none until `meanwhile` returns; the socket buffers hold about 1000.
    private func expectAllPages(_ fixture: GatewayFixture, _ meanwhile: () async throws -> Void) async throws {
        let count = 4000
        let client = try await fixture.connect(receiveBuffer: 64 << 10)
        let requests = String(repeating: fixture.head("/open/page"), count: count)
        let flood = Task { try await client.send(requests) }
        try await fixture.ping(times: count)
        #expect(fixture.backend.requests.count { $0.target == "/open/page" } < count * 3 / 4)
        try await meanwhile()
        var statuses: Set<Int> = []
        for _ in 0..<count { statuses.insert(try await client.response().status) }
        #expect(statuses == [200])
        try await flood.value
    }

    @Test func unreadResponsesHoldUpLaterRequests() async throws {
        try await withGateway(Self.patient, backend: Self.pages) { fixture async throws in
            try await expectAllPages(fixture) {}
        }
    }

    @Test func heldUpRequestDoesNotHitHeaderTimeout() async throws {
        let setup = GatewaySetup(gateway: "limits: { idle_timeout: 10m, header_timeout: 3s }")
        try await withGateway(setup, backend: Self.pages) { fixture async throws in
            try await expectAllPages(fixture) {
                // Connections that the same timeout does drop, opened later, show that it has passed.
                for _ in 0..<2 {
                    let late = try await fixture.connect()
                    try await late.send("GET /open/x HTTP/1.1\r\nHost: app")
                    try await late.untilClosed()
                }
            }
        }
    }
}
