import Store
import Tenants
import TestSupport
import Testing
import Time
import Verification

@testable import Events

/// Events on their way to a webhook.
@Suite struct EventOutboxTests {
    @Test func eventIsPostedWithItsSignature() async throws {
        let fixture = OutboxFixture()
        await fixture.outbox.keep(fixture.event(.signedIn, "s1", details: ["provider": "apple"]))
        await fixture.outbox.work()
        let received = try #require(fixture.world.received.first)
        #expect(received.request.url == "https://hooks.test/in")
        let id = try #require(received.field("webhook-id"))
        #expect(received.field("webhook-timestamp") == "1800000000")
        #expect(
            received.field("webhook-signature")
                == WebhookSignature(OutboxFixture.settings.secrets)
                .text(id: id, timestamp: 1_800_000_000, body: received.request.body)
        )
        let body = try #require(JSONParser.parse(received.request.body).object)
        #expect(
            body == [
                "id": .string(id), "type": "signed_in", "time": "2027-01-15T08:00:00.000Z", "tenant": "shop",
                "subject": "alice", "sid": "s1", "provider": "apple",
            ]
        )
        await fixture.work(seconds: 5)
        #expect(fixture.world.received.count == 1)
        #expect(fixture.count(.signedIn, .delivered) == 1)
    }

    @Test func eventsOfASessionArriveInOrder() async {
        let fixture = OutboxFixture()
        await fixture.outbox.keep(fixture.event(.signedIn, "s1"))
        fixture.outbox.note(fixture.event(.refreshed, "s1"))
        fixture.outbox.note(fixture.event(.refreshed, "s2"))
        await fixture.outbox.keep(fixture.event(.signedOut, "s1"))
        await fixture.work(seconds: 3)
        let first = fixture.world.received.filter { $0.member("sid") == "s1" }
        #expect(first.map { $0.member("type") } == ["signed_in", "refreshed", "signed_out"])
        #expect(fixture.world.received.count == 4)
    }

    @Test func keptEventIsInTheStoreAtOnceAndNotedOneAfterAFlush() async {
        let fixture = OutboxFixture()
        let other = OutboxFixture(fixture.world, fixture.store)
        await fixture.outbox.keep(fixture.event(.signedOut, "kept"))
        fixture.outbox.note(fixture.event(.refreshed, "noted"))
        // This instance ends here.
        await other.outbox.work()
        #expect(fixture.world.received.map { $0.member("sid") } == ["kept"])
        await fixture.outbox.flush()
        await other.outbox.work()
        #expect(fixture.world.received.map { $0.member("sid") } == ["kept", "noted"])
    }

    @Test func receiverThatIsDownForAnHourGetsEverythingOnce() async {
        let fixture = OutboxFixture()
        fixture.world.answer { (_) throws(OutboxFailure) in throw OutboxFailure(.unreachable) }
        for session in 0..<100 { await fixture.outbox.keep(fixture.event(.signedIn, "\(session)")) }
        await fixture.work(seconds: 3600)
        let attempts = fixture.world.received.count
        #expect(attempts < 300)
        let before = Set(fixture.world.received.compactMap { $0.member("id") }).count
        #expect(before > 1)
        fixture.world.answer(200)
        await fixture.work(seconds: 3700)
        #expect(fixture.world.received.count == attempts + 100)
        #expect(fixture.count(.signedIn, .delivered) == 100)
        #expect(fixture.count(.signedIn, .expired) == 0)
    }

    @Test func receiverThatAlwaysFailsIsAskedSeldomAndForSevenDays() async {
        let fixture = OutboxFixture()
        fixture.world.answer(410)
        await fixture.outbox.keep(fixture.event(.signedIn, "s1"))
        for _ in 0..<(8 * 24 * 12) {
            await fixture.outbox.work()
            fixture.world.pass(300)
        }
        let received = fixture.world.received
        #expect(received.count > 24 * 6 && received.count < 24 * 7 + 20)
        #expect(received.last.map { $0.at - UnixTime(1_800_000_000) < 7 * 86_400 } == true)
        #expect(fixture.count(.signedIn, .expired) == 1)
        fixture.world.answer(200)
        await fixture.work(seconds: 10)
        #expect(fixture.world.received.count == received.count)
    }

    @Test func receiverThatAsksToWaitIsNotAskedBefore() async throws {
        let fixture = OutboxFixture()
        fixture.world.answer(429, retryAfter: 40)
        await fixture.outbox.keep(fixture.event(.signedIn, "s1"))
        await fixture.work(seconds: 60)
        let times = fixture.world.received.map { $0.at - UnixTime(1_800_000_000) }
        #expect(times == [0, 40])
    }

    @Test func twoInstancesDeliverEachEventOnce() async {
        let (world, store) = (OutboxWorld(), MemoryStore())
        let instances = [OutboxFixture(world, store), OutboxFixture(world, store)]
        for session in 0..<200 { await instances[0].outbox.keep(instances[0].event(.signedIn, "\(session)")) }
        await withDiscardingTaskGroup { group in
            for instance in instances { group.addTask { await instance.outbox.work() } }
        }
        #expect(world.received.count == 200)
        #expect(Set(world.received.compactMap { $0.member("sid") }).count == 200)
    }

    /// A sign-out of a token that names neither: they do not wait for each other, and fill no stream.
    @Test func eventsWithoutSessionAndSubjectAreAllKept() async throws {
        let fixture = OutboxFixture()
        for _ in 0..<300 {
            await fixture.outbox.keep(Event(.signedOut, tenant: "shop", at: fixture.world.now))
        }
        await fixture.work(seconds: 2)
        #expect(fixture.world.received.count == 300)
    }

    @Test func eventThatWaitedInACrashedInstancesClaimIsSentAfterIt() async throws {
        let fixture = OutboxFixture()
        await fixture.outbox.keep(fixture.event(.signedIn, "s1"))
        let records = OutboxRecords(store: fixture.store, channel: .events, logger: fixture.log.logger)
        let id = fixture.event(.signedIn, "s1").streamID
        _ = try await records.change(id) { stream in _ = stream.claim(by: "gone", at: fixture.world.now) }
        await fixture.work(seconds: Int(OutboxStream.claimDuration) - 1)
        #expect(fixture.world.received.isEmpty)
        await fixture.work(seconds: 3)
        #expect(fixture.world.received.count == 1)
    }

    @Test func fullOutboxDropsAndCountsNewSessionsEvents() async {
        let fixture = OutboxFixture(limits: EventOutbox.Limits(streams: 10, jitter: { 1 }))
        fixture.world.answer(500)
        for session in 0..<12 { await fixture.outbox.keep(fixture.event(.signedIn, "\(session)")) }
        #expect(fixture.count(.signedIn, .dropped) == 3)
        // A session that is there already has room, and refusals have room of their own.
        await fixture.outbox.keep(fixture.event(.signedOut, "0"))
        await fixture.outbox.keep(fixture.event(.refused, nil, details: ["code": "token_expired"]))
        #expect(fixture.count(.signedOut, .dropped) == 0)
        #expect(fixture.count(.refused, .dropped) == 0)
        #expect(fixture.log.lines.contains { $0.contains("events are lost") })
    }

    @Test func bufferHasABound() async {
        let fixture = OutboxFixture(limits: EventOutbox.Limits(buffered: 3, jitter: { 1 }))
        for session in 0..<5 { fixture.outbox.note(fixture.event(.refreshed, "\(session)")) }
        #expect(fixture.count(.refreshed, .dropped) == 2)
        await fixture.outbox.work()
        #expect(fixture.world.received.count == 3)
    }

    @Test func eventOfAFailedStoreIsStoredWhenItIsBack() async {
        let store = FailingStore()
        let fixture = OutboxFixture(OutboxWorld(), store)
        store.cut()
        await fixture.outbox.keep(fixture.event(.signedOut, "s1"))
        await fixture.outbox.work()
        #expect(fixture.world.received.isEmpty)
        store.heal()
        await fixture.outbox.work()
        #expect(fixture.world.received.map { $0.member("type") } == ["signed_out"])
    }

    @Test func onlyTheTypesAskedForAreSent() async {
        var settings = OutboxFixture.settings
        settings.types = [.signedOut]
        let fixture = OutboxFixture(settings: settings)
        await fixture.outbox.keep(fixture.event(.signedIn, "s1"))
        fixture.outbox.note(fixture.event(.refreshed, "s1"))
        await fixture.outbox.keep(fixture.event(.signedOut, "s1"))
        await fixture.outbox.work()
        #expect(fixture.world.received.map { $0.member("type") } == ["signed_out"])
    }

    @Test func instanceWithoutAWebhookLeavesEventsToOthers() async {
        let fixture = OutboxFixture()
        await fixture.outbox.keep(fixture.event(.signedIn, "s1"))
        let other = OutboxFixture(fixture.world, fixture.store, settings: nil)
        await other.work(seconds: 20)
        #expect(fixture.world.received.isEmpty)
        await fixture.outbox.work()
        #expect(fixture.world.received.count == 1)
    }

    @Test func instanceWithoutAWebhookRemovesWhatHasExpired() async throws {
        let fixture = OutboxFixture()
        await fixture.outbox.keep(fixture.event(.signedIn, "s1"))
        let other = OutboxFixture(fixture.world, fixture.store, settings: nil)
        fixture.world.pass(7 * 86_400)
        await other.outbox.work()
        #expect(other.count(.signedIn, .expired) == 1)
        #expect(try await fixture.store.entries(of: StoreCollection("outbox-events-due"), after: nil, limit: 9).isEmpty)
        #expect(try await fixture.store.entries(of: StoreCollection("outbox-events"), after: nil, limit: 9).isEmpty)
    }

    @Test func whatWaitsIsCountedWithTheAgeOfTheOldest() async {
        let fixture = OutboxFixture()
        fixture.world.answer(500)
        await fixture.outbox.keep(fixture.event(.signedIn, "s1"))
        fixture.world.pass(30)
        await fixture.outbox.keep(fixture.event(.signedIn, "s2"))
        await fixture.outbox.work()
        let pending = fixture.outbox.counts.snapshot().pending["events"]
        #expect(pending?.count == 2)
        #expect(pending?.oldest == UnixTime(1_800_000_000))
    }

    @Test func endOfASessionHasOneIDHoweverOftenItIsNoticed() {
        func id(_ session: String, _ tenant: String = "shop") -> String {
            Event.end(of: session, as: .revoked, subject: nil, tenant: tenant, at: UnixTime(0), details: [:]).id
        }
        #expect(id("s1") == id("s1"))
        #expect(Set([id("s1"), id("s2"), id("s1", "other")]).count == 3)
    }
}
