import Store
import Tenants
import TestSupport
import Testing
import Time
import TokenSigning
import Verification

@testable import Events

/// What waits for clients that are down, beside others that are not.
@Suite struct DeadReceiverTests {
    /// Its signatures are none.
    private struct Keys: IssuerKeys {
        func sign(_ claims: JSONObject, as type: IssuedTokenType) async throws(SigningProblem) -> String { "token" }
        func published() async throws(SigningProblem) -> PublishedKeys { throw .notSealed }
    }

    private static let queue = StoreCollection("outbox-logouts-due")

    private static func issuers(_ clients: [String]) -> [String: LogoutIssuer] {
        let clients = clients.map { ($0, BackChannelLogout(uri: "https://\($0).test/bcl", needsSession: false)) }
        return [
            "shop": LogoutIssuer(
                url: "https://id.test",
                keys: Keys(),
                clients: Dictionary(uniqueKeysWithValues: clients)
            )
        ]
    }

    private static func fixture(
        _ world: OutboxWorld = OutboxWorld(),
        _ store: any Store = MemoryStore(),
        clients: [String]
    ) -> OutboxFixture {
        OutboxFixture(world, store, settings: nil, issuers: issuers(clients))
    }

    private static func write(_ count: Int, to clients: [String], _ fixture: OutboxFixture) async throws {
        for session in 0..<count {
            for client in clients {
                let logout = ClientLogout(tenant: "shop", client: client, subject: "alice", session: "\(session)")
                try await fixture.outbox.write(logout)
            }
        }
    }

    private static func fail(_ clients: [String], _ world: OutboxWorld) {
        world.answer { (request) throws(OutboxFailure) in
            if clients.contains(where: { request.url.contains("/\($0).test/") }) { throw OutboxFailure(.timeout) }
            return OutboxResponse(status: 200)
        }
    }

    private static func requests(to client: String, _ world: OutboxWorld) -> Int {
        world.received.count { $0.request.url.contains("/\(client).test/") }
    }

    @Test func whatWaitsForADeadClientIsNotReadAgainAndAgain() async throws {
        let (store, world) = (FailingStore(), OutboxWorld())
        let fixture = Self.fixture(world, store, clients: ["dead", "well"])
        Self.fail(["dead"], world)
        try await Self.write(1000, to: ["dead"], fixture)
        await fixture.work(seconds: 70)
        let known = store.pages(of: Self.queue).count
        await fixture.work(seconds: 30)
        let pages = store.pages(of: Self.queue).dropFirst(known)
        // One a second, the upkeep's every 15 s, and one for what is tried next; of the whole queue it would be four.
        #expect(pages.count <= 40)
        #expect(pages.filter { $0 <= QueueScan.page }.reduce(0, +) < 30 * 100)
        // And another one's logout is found at once.
        try await Self.write(1, to: ["well"], fixture)
        await fixture.outbox.work()
        #expect(Self.requests(to: "well", world) == 1)
    }

    @Test func deadClientGetsEverythingWhenItIsBack() async throws {
        let world = OutboxWorld()
        let fixture = Self.fixture(world, clients: ["a", "b"])
        Self.fail(["a", "b"], world)
        try await Self.write(100, to: ["a", "b"], fixture)
        await fixture.work(seconds: 70)
        Self.fail(["b"], world)
        let known = Self.requests(to: "a", world)
        world.pass(3600)
        await fixture.work(seconds: 10)
        #expect(Self.requests(to: "a", world) == known + 100)
        Self.fail([], world)
        let before = Self.requests(to: "b", world)
        world.pass(3600)
        await fixture.work(seconds: 10)
        #expect(Self.requests(to: "b", world) == before + 100)
        #expect(try await fixture.entries("logouts").isEmpty)
        #expect(try await fixture.entries("logouts-due").isEmpty)
    }

    /// Behind what another one that is down has left.
    @Test func logoutsOfAClientThatAReloadAddsAreSent() async throws {
        let world = OutboxWorld()
        let fixture = Self.fixture(world, clients: ["dead"])
        Self.fail(["dead"], world)
        try await Self.write(100, to: ["dead", "new"], fixture)
        await fixture.work(seconds: 70)
        #expect(Self.requests(to: "new", world) == 0)
        fixture.outbox.adopt(nil, issuers: Self.issuers(["dead", "new"]))
        await fixture.work(seconds: 3)
        #expect(Self.requests(to: "new", world) == 100)
    }

    @Test func logoutOfAnInstanceWithALateClockIsSent() async throws {
        let (world, late) = (OutboxWorld(), OutboxWorld())
        let fixture = Self.fixture(world, clients: ["dead", "well"])
        Self.fail(["dead"], world)
        try await Self.write(300, to: ["dead"], fixture)
        await fixture.work(seconds: 70)
        late.pass(-1800)
        try await Self.write(1, to: ["well"], Self.fixture(late, fixture.store, clients: ["dead", "well"]))
        await fixture.work(seconds: 32)
        #expect(Self.requests(to: "well", world) == 1)
    }

    /// What was taken out of the queue's pages, and then came to nothing.
    @Test func logoutsThatTheStoreFailedForAreSentWhenItIsBack() async throws {
        let (store, world) = (FailingStore(), OutboxWorld())
        let fixture = Self.fixture(world, store, clients: ["dead", "well"])
        Self.fail(["dead", "well"], world)
        try await Self.write(20, to: ["dead", "well"], fixture)
        await fixture.work(seconds: 100)
        world.pass(60)
        store.cut()
        await fixture.work(seconds: 1)
        store.heal()
        Self.fail(["dead"], world)
        // Before the upkeep looks at everything.
        await fixture.work(seconds: 10)
        let due = try await fixture.entries("logouts-due").filter { name, value in
            let isDue = name.split(separator: "-").first.flatMap { Double($0) }.map { UnixTime($0) < world.now } ?? true
            return isDue && String(decoding: value, as: UTF8.self).hasSuffix(" well")
        }
        #expect(due.isEmpty)
        #expect(Self.requests(to: "well", world) > 20)
    }
}
