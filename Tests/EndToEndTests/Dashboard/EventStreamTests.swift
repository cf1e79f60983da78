import TestSupport
import Testing
import Verification

/// The dashboard's page, and the stream of reports that it listens to, over the wire.
@Suite struct EventStreamTests {
    private static let locked = GatewaySetup(
        gateway: "admin: { address: \"127.0.0.1:0\", token: \"\(GatewayFixture.adminToken)\" }"
    )
    private static let fields = ["Authorization: Bearer \(GatewayFixture.adminToken)"]

    /// Asks for a stream and reads the head of the answer.
    private static func ask(_ fixture: GatewayFixture) async throws -> (client: RawClient, head: RawResponse) {
        let address = try #require(fixture.adminAddress)
        let client = fixture.keep(RawClient(try await Wire.connect(to: address)))
        try await client.send(fixture.head("/api/events", host: "\(address)", fields: fields))
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

    /// Reads on until a report says that the tenant `app` has had `count` requests.
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

    @Test func thePageNeedsNoTokenAndHoldsNothing() async throws {
        try await withGateway(Self.locked) { fixture async throws in
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

    @Test func eventsNeedTheToken() async throws {
        try await withGateway(Self.locked) { fixture async throws in
            fixture.keepSecret(GatewayFixture.adminToken)
            let refused = try await fixture.admin("/api/events")
            #expect(refused.status == 401)
            #expect(AdminProblemDocument(refused)?.code == "missing_token")
        }
    }

    @Test func aStreamTellsWhatHappens() async throws {
        try await withGateway(Self.locked) { fixture async throws in
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

    @Test func noMoreStreamsAreOpenThanMayBeAndWhoLeavesMakesRoom() async throws {
        try await withGateway(Self.locked) { fixture async throws in
            var clients: [RawClient] = []
            for _ in 0..<16 { clients.append(try await Self.stream(fixture)) }
            let refused = try await fixture.admin("/api/events", fields: Self.fields)
            #expect(refused.status == 503)
            #expect(refused.fields["Retry-After"] == ["1"])
            #expect(AdminProblemDocument(refused)?.code == "too_many_streams")
            try await clients[0].reset()
            // The gateway learns of it when it writes next.
            while try await Self.status(fixture) == 503 {}
        }
    }

    @Test func aStreamEndsWhenTheGatewayStops() async throws {
        try await withGateway(Self.locked) { fixture async throws in
            let client = try await Self.stream(fixture)
            _ = try await Self.report(client, requests: 0)
            async let stopped: Void = fixture.shutdown()
            // It ends as an answer does, not by being cut off.
            #expect(try await client.untilClosed().text.hasSuffix("0\r\n\r\n"))
            await stopped
        }
    }
}
