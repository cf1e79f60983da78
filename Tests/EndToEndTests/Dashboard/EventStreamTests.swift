import TestSupport
import Testing
import Verification

/// The dashboard's page and its event stream.
@Suite struct EventStreamTests {

    /// Requests a stream and reads the response head.
    private static func ask(_ fixture: GatewayFixture) async throws -> (client: RawClient, head: RawResponse) {
        let address = try #require(fixture.adminAddress)
        let client = fixture.keep(RawClient(try await Wire.connect(to: address)))
        try await client.send(fixture.head("/api/events", host: "\(address)", fields: GatewayFixture.adminBearer))
        return (client, try await client.head())
    }

    private static func status(_ fixture: GatewayFixture) async throws -> Int {
        let (client, head) = try await ask(fixture)
        await client.close()
        return head.status
    }

    /// An open stream.
    private static func stream(_ fixture: GatewayFixture) async throws -> RawClient {
        let (client, head) = try await ask(fixture)
        #expect(head.status == 200)
        #expect(head.fields["Content-Type"] == ["text/event-stream"])
        #expect(head.fields["Cache-Control"] == ["no-store"])
        return client
    }

    /// Reads until a report counts `count` requests of tenant `app`.
    private static func report(_ client: RawClient, requests count: Double) async throws -> JSONObject {
        var text = ""
        while let piece = try await client.piece() {
            text += String(decoding: piece, as: UTF8.self)
            while let end = text.firstRange(of: "\n\n") {
                let event = text[..<end.lowerBound]
                text = String(text[end.upperBound...])
                guard let data = event.split(separator: "\n").first(where: { $0.hasPrefix("data: ") }) else { continue }
                let report = try #require(try JSONParser.parse(Array(data.dropFirst(6).utf8)).object)
                let tenant = try #require(report["tenants"]?.array?.first?.object)
                #expect(tenant["name"] == "app")
                if tenant["requests"]?.object?["total"]?.double == count { return report }
            }
        }
        throw EndOfStream()
    }

    @Test func pageNeedsNoTokenAndContainsNoData() async throws {
        try await withGateway(.withAdminToken) { fixture async throws in
            let page = try await fixture.admin("/")
            #expect(page.status == 200)
            #expect(page.body.text.contains("data-access=\"token\""))
            #expect(!page.body.text.contains("app.test"))
            #expect(page.fields["Content-Security-Policy"].first?.hasPrefix("default-src 'none'") == true)
        }
        try await withGateway { fixture async throws in
            #expect(try await fixture.admin("/").body.text.contains("data-access=\"open\""))
        }
    }

    @Test func eventsNeedToken() async throws {
        try await withGateway(.withAdminToken) { fixture async throws in
            fixture.keepSecret(GatewayFixture.adminToken)
            let refused = try await fixture.admin("/api/events")
            #expect(refused.status == 401)
            #expect(AdminProblemDocument(refused)?.code == "missing_token")
        }
    }

    @Test func streamReportsRequests() async throws {
        try await withGateway(.withAdminToken) { fixture async throws in
            let client = try await Self.stream(fixture)
            _ = try await Self.report(client, requests: 0)
            for _ in 0..<3 { #expect(try await fixture.request("/open/x").status == 200) }
            let report = try await Self.report(client, requests: 3)
            let latency = try #require(report["tenants"]?.array?.first?.object?["latency"]?.object)
            let buckets = try #require(latency["buckets"]?.array).compactMap(\.array)
            #expect(buckets.compactMap { $0.last?.double }.reduce(0, +) == 3)
            for bucket in buckets { #expect(try #require(bucket[0].double) < bucket[1].double ?? .infinity) }
        }
    }

    @Test func streamCountIsLimited() async throws {
        try await withGateway(.withAdminToken) { fixture async throws in
            var clients: [RawClient] = []
            for _ in 0..<16 { clients.append(try await Self.stream(fixture)) }
            let refused = try await fixture.admin("/api/events", fields: GatewayFixture.adminBearer)
            #expect(refused.status == 503)
            #expect(refused.fields["Retry-After"] == ["1"])
            #expect(AdminProblemDocument(refused)?.code == "too_many_streams")
            try await clients[0].reset()
            // The gateway notices when it writes next.
            while try await Self.status(fixture) == 503 {}
        }
    }

    @Test func streamEndsWhenGatewayStops() async throws {
        try await withGateway(.withAdminToken) { fixture async throws in
            let client = try await Self.stream(fixture)
            _ = try await Self.report(client, requests: 0)
            async let stopped: Void = fixture.shutdown()
            // It ends regularly instead of being cut.
            #expect(try await client.untilClosed().text.hasSuffix("0\r\n\r\n"))
            await stopped
        }
    }
}
