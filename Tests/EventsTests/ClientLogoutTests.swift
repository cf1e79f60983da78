import Store
import Tenants
import TestSupport
import Testing
import Time
import TokenSigning
import Verification

@testable import Events

/// Logout tokens for an issuer's clients (OpenID Connect Back-Channel Logout 1.0).
@Suite struct ClientLogoutTests {
    /// Shows what is signed as `TYPE.CLAIMS`; its signatures are none.
    private struct Keys: IssuerKeys {
        var problem: SigningProblem?

        func sign(_ claims: JSONObject, as type: IssuedTokenType) async throws(SigningProblem) -> String {
            if let problem { throw problem }
            return "\(type.rawValue).\(Base64URL.encode(JSONWriter.bytes(of: claims)))"
        }

        func published() async throws(SigningProblem) -> PublishedKeys { throw problem ?? .notSealed }
    }

    private static func fixture(
        _ world: OutboxWorld = OutboxWorld(),
        needsSession: Bool = false,
        problem: SigningProblem? = nil
    ) -> OutboxFixture {
        let client = BackChannelLogout(uri: "https://app.test/bcl?x=1", needsSession: needsSession)
        let issuer = LogoutIssuer(url: "https://id.test", keys: Keys(problem: problem), clients: ["web": client])
        return OutboxFixture(world, issuers: ["shop": issuer])
    }

    private static let logout = ClientLogout(tenant: "shop", client: "web", subject: "alice", session: "s1")

    private static func claims(_ received: OutboxWorld.Received) throws -> JSONObject {
        let parts = String(decoding: received.request.body, as: UTF8.self).split(separator: ".")
        #expect(parts.first == "logout_token=logout+jwt")
        let bytes = try #require(parts.last.flatMap { Base64URL.decode(String($0)) })
        return try #require(JSONParser.parse(bytes).object)
    }

    @Test func tokenNamesClientSubjectAndSession() async throws {
        let fixture = Self.fixture()
        try await fixture.outbox.write(Self.logout)
        await fixture.outbox.work()
        let received = try #require(fixture.world.received.first)
        #expect(received.request.url == "https://app.test/bcl?x=1")
        #expect(received.field("Content-Type") == "application/x-www-form-urlencoded")
        var claims = try Self.claims(received)
        #expect(claims["jti"]?.string?.isEmpty == false)
        claims["jti"] = nil
        #expect(
            claims == [
                "iss": "https://id.test", "aud": "web", "iat": .number(JSONNumber(1_800_000_000)),
                "exp": .number(JSONNumber(1_800_000_120)),
                "events": ["http://schemas.openid.net/event/backchannel-logout": [:]], "sub": "alice", "sid": "s1",
            ]
        )
        await fixture.work(seconds: 10)
        #expect(fixture.world.received.count == 1)
    }

    @Test func eachAttemptHasAFreshToken() async throws {
        let fixture = Self.fixture()
        fixture.world.answer(503)
        try await fixture.outbox.write(Self.logout)
        await fixture.work(seconds: 30)
        let claims = try fixture.world.received.map(Self.claims)
        #expect(claims.count > 2)
        #expect(Set(claims.compactMap { $0["jti"]?.string }).count == claims.count)
        #expect(Set(claims.compactMap { $0["iat"]?.double }).count == claims.count)
    }

    @Test func clientThatRefusesIsNotAskedAgain() async throws {
        let fixture = Self.fixture()
        fixture.world.answer(400)
        try await fixture.outbox.write(Self.logout)
        await fixture.work(seconds: 60)
        #expect(fixture.world.received.count == 1)
        #expect(fixture.log.lines.contains { $0.contains("has refused a logout token") })
    }

    @Test func clientIsToldForADayAtMost() async throws {
        let fixture = Self.fixture()
        fixture.world.answer(500)
        try await fixture.outbox.write(Self.logout)
        for _ in 0..<(30 * 12) {
            await fixture.outbox.work()
            fixture.world.pass(300)
        }
        let last = try #require(fixture.world.received.last)
        #expect(last.at - UnixTime(1_800_000_000) < 86_400)
        #expect(fixture.world.received.count < 50)
    }

    @Test func clientThatNeedsTheSessionGetsNoTokenWithoutOne() async throws {
        let fixture = Self.fixture(needsSession: true)
        try await fixture.outbox.write(ClientLogout(tenant: "shop", client: "web", subject: "alice", session: nil))
        try await fixture.outbox.write(ClientLogout(tenant: "shop", client: "unknown", subject: "alice", session: "s1"))
        await fixture.work(seconds: 10)
        #expect(fixture.world.received.isEmpty)
        try await fixture.outbox.write(Self.logout)
        await fixture.outbox.work()
        #expect(fixture.world.received.count == 1)
    }

    @Test func oneLogoutIsToldOnceHoweverOftenItIsNoticed() async throws {
        let fixture = Self.fixture()
        for _ in 0..<3 { try await fixture.outbox.write(Self.logout) }
        await fixture.work(seconds: 3)
        #expect(fixture.world.received.count == 1)
    }

    @Test func clientThatIsDownHoldsNoOtherUp() async throws {
        let fixture = Self.fixture()
        fixture.world.answer { (request) throws(OutboxFailure) in
            if request.url.contains("app.test") { throw OutboxFailure(.timeout) }
            return OutboxResponse(status: 200)
        }
        let clients = [
            "web": BackChannelLogout(uri: "https://app.test/bcl", needsSession: false),
            "good": BackChannelLogout(uri: "https://good.test/bcl", needsSession: false),
        ]
        fixture.outbox.adopt(
            nil,
            issuers: ["shop": LogoutIssuer(url: "https://id.test", keys: Keys(), clients: clients)]
        )
        for session in 0..<50 {
            try await fixture.outbox.write(
                ClientLogout(tenant: "shop", client: "web", subject: "a", session: "\(session)")
            )
        }
        await fixture.outbox.work()
        try await fixture.outbox.write(ClientLogout(tenant: "shop", client: "good", subject: "a", session: "s"))
        await fixture.outbox.work()
        #expect(fixture.world.received.filter { $0.request.url.contains("good.test") }.count == 1)
    }

    /// Clients that take every place they can get, and one that answers.
    @Test(.timeLimit(.minutes(1))) func slowClientsLeavePlacesToOthers() async throws {
        let fixture = Self.fixture()
        var clients = ["good": BackChannelLogout(uri: "https://good.test/bcl", needsSession: false)]
        let slow = (0..<40).map { "slow\($0)" }
        for id in slow { clients[id] = BackChannelLogout(uri: "https://\(id).test/bcl", needsSession: false) }
        let issuer = LogoutIssuer(url: "https://id.test", keys: Keys(), clients: clients)
        fixture.outbox.adopt(nil, issuers: ["shop": issuer])
        for session in 0..<20 {
            for id in slow {
                let logout = ClientLogout(tenant: "shop", client: id, subject: "a", session: "\(session)")
                try await fixture.outbox.write(logout)
            }
        }
        // Each has failed before.
        fixture.world.answer(503)
        await fixture.work(seconds: 2)
        fixture.world.answer(200)
        fixture.world.pass(3600)
        let gate = Awaited(false)
        defer { gate.update { $0 = true } }
        fixture.world.hold(gate) { $0.url.contains("slow") }
        let known = fixture.world.received.count
        let running = Task { await fixture.outbox.run() }
        defer { running.cancel() }
        await fixture.world.arrived(known + 32)
        for session in 0..<300 {
            let logout = ClientLogout(tenant: "shop", client: "good", subject: "a", session: "\(session)")
            try await fixture.outbox.write(logout)
        }
        await fixture.world.arrived(known + 332)
        #expect(fixture.world.received.filter { $0.request.url.contains("good.test") }.count == 300)
    }

    @Test func withoutAKeyItIsTriedAgain() async throws {
        let world = OutboxWorld()
        let fixture = Self.fixture(world, problem: .notSealed)
        try await fixture.outbox.write(Self.logout)
        await fixture.work(seconds: 3)
        #expect(world.received.isEmpty)
        let client = BackChannelLogout(uri: "https://app.test/bcl", needsSession: false)
        fixture.outbox.adopt(
            nil,
            issuers: ["shop": LogoutIssuer(url: "https://id.test", keys: Keys(), clients: ["web": client])]
        )
        await fixture.work(seconds: 10)
        #expect(world.received.count == 1)
    }

    /// A client that a reload has added elsewhere, and not here yet.
    @Test func logoutOfAClientThatIsUnknownHereIsLeftToOthers() async throws {
        let fixture = Self.fixture()
        let logout = ClientLogout(tenant: "shop", client: "new app", subject: "alice", session: "s1")
        try await fixture.outbox.write(logout)
        await fixture.work(seconds: 200)
        #expect(fixture.world.received.isEmpty)
        let client = BackChannelLogout(uri: "https://new.test/bcl", needsSession: true)
        let issuer = LogoutIssuer(url: "https://id.test", keys: Keys(), clients: ["new app": client])
        let other = OutboxFixture(fixture.world, fixture.store, issuers: ["shop": issuer])
        await other.outbox.work()
        #expect(try Self.claims(try #require(fixture.world.received.first))["aud"] == "new app")
        // And if nobody ever knows it, it expires.
        try await fixture.outbox.write(logout)
        fixture.world.pass(86_400)
        await fixture.work(seconds: 20)
        #expect(fixture.world.received.count == 1)
        #expect(fixture.count("logout", .expired) == 1)
    }

    /// Places of the previous version do not say which client they are for.
    @Test func placeOfAnEarlierVersionIsWorkedOn() async throws {
        let fixture = Self.fixture()
        let unknown = ClientLogout(tenant: "shop", client: "new", subject: "alice", session: "s1")
        for logout in [Self.logout, unknown] {
            try await fixture.outbox.write(logout)
            let name = "01800000000-\(logout.streamID)"
            let place = EntryChange(StoreCollection("outbox-logouts-due"), name, to: Array("01800000000 shop".utf8))
            _ = try await fixture.store.change([place])
        }
        await fixture.work(seconds: 5)
        #expect(fixture.world.received.count == 1)
        #expect(try await fixture.entries("logouts").keys.map { $0 } == [unknown.streamID])
    }

    @Test func otherTenantsLogoutsAreLeftToOtherInstances() async throws {
        let fixture = Self.fixture()
        let other = OutboxFixture(fixture.world, fixture.store)
        try await fixture.outbox.write(Self.logout)
        await other.work(seconds: 20)
        #expect(fixture.world.received.isEmpty)
        await fixture.outbox.work()
        #expect(fixture.world.received.count == 1)
    }
}
