import Store
import Tenants
import TestSupport
import Testing
import Time
import Verification

@testable import Events

/// Events on their way to a webhook.
@Suite struct EventOutboxTests {
    @Test(arguments: OutboxStoreKind.allCases) func eventIsPostedWithItsSignature(_ kind: OutboxStoreKind) async throws
    {
        let fixture = try await OutboxFixture(kind)
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

    @Test(arguments: OutboxStoreKind.allCases) func eventsOfASessionArriveInOrder(_ kind: OutboxStoreKind) async throws
    {
        let fixture = try await OutboxFixture(kind)
        await fixture.outbox.keep(fixture.event(.signedIn, "s1"))
        fixture.outbox.note(fixture.event(.refreshed, "s1"))
        fixture.outbox.note(fixture.event(.refreshed, "s2"))
        await fixture.outbox.keep(fixture.event(.signedOut, "s1"))
        await fixture.work(seconds: 3)
        let first = fixture.world.received.filter { $0.member("sid") == "s1" }
        #expect(first.map { $0.member("type") } == ["signed_in", "refreshed", "signed_out"])
        #expect(fixture.world.received.count == 4)
    }

    @Test(arguments: OutboxStoreKind.allCases) func keptEventIsInTheStoreAtOnceAndNotedOneAfterAFlush(
        _ kind: OutboxStoreKind
    ) async throws {
        let fixture = try await OutboxFixture(kind)
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

    @Test(arguments: OutboxStoreKind.allCases) func receiverThatIsDownForAnHourGetsEverythingOnce(
        _ kind: OutboxStoreKind
    ) async throws {
        let fixture = try await OutboxFixture(kind)
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

    @Test(arguments: OutboxStoreKind.allCases) func receiverThatAlwaysFailsIsAskedSeldomAndForSevenDays(
        _ kind: OutboxStoreKind
    ) async throws {
        let fixture = try await OutboxFixture(kind)
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

    @Test(arguments: OutboxStoreKind.allCases) func receiverThatAsksToWaitIsNotAskedBefore(_ kind: OutboxStoreKind)
        async throws
    {
        let fixture = try await OutboxFixture(kind)
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
    @Test(arguments: OutboxStoreKind.allCases) func eventsWithoutSessionAndSubjectAreAllKept(_ kind: OutboxStoreKind)
        async throws
    {
        let fixture = try await OutboxFixture(kind)
        for _ in 0..<300 {
            await fixture.outbox.keep(Event(.signedOut, tenant: "shop", at: fixture.world.now))
        }
        await fixture.work(seconds: 2)
        #expect(fixture.world.received.count == 300)
    }

    @Test(arguments: OutboxStoreKind.allCases) func eventThatWaitedInACrashedInstancesClaimIsSentAfterIt(
        _ kind: OutboxStoreKind
    ) async throws {
        let fixture = try await OutboxFixture(kind)
        await fixture.outbox.keep(fixture.event(.signedIn, "s1"))
        let records = OutboxRecords(store: fixture.store, channel: .events, logger: fixture.log.logger)
        let id = fixture.event(.signedIn, "s1").streamID
        _ = try await records.change(id) { stream in _ = stream.claim(by: "gone", at: fixture.world.now) }
        await fixture.work(seconds: Int(OutboxStream.claimDuration) - 1)
        #expect(fixture.world.received.isEmpty)
        await fixture.work(seconds: 3)
        #expect(fixture.world.received.count == 1)
    }

    @Test(arguments: OutboxStoreKind.allCases) func fullOutboxDropsAndCountsNewSessionsEvents(_ kind: OutboxStoreKind)
        async throws
    {
        let fixture = try await OutboxFixture(kind, limits: EventOutbox.Limits(streams: 10, jitter: { 1 }))
        fixture.world.answer(500)
        for session in 0..<12 { await fixture.outbox.keep(fixture.event(.signedIn, "\(session)")) }
        #expect(fixture.count(.signedIn, .dropped) == 3)
        // The last tenth is for what ends something.
        for session in 20..<22 { try await fixture.outbox.write(fixture.event(.revoked, "\(session)")) }
        #expect(fixture.count(.revoked, .dropped) == 1)
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

    /// Of an hour of refreshes each session has the last one, in a record that does not grow.
    @Test(arguments: OutboxStoreKind.allCases)
    func outageKeepsOneRefreshOfASession(_ kind: OutboxStoreKind) async throws {
        let fixture = try await OutboxFixture(kind)
        fixture.world.answer(500)
        await fixture.outbox.keep(fixture.event(.signedIn, "s1", details: ["provider": "apple"]))
        var sizes: [Int] = []
        for number in 0..<300 {
            fixture.outbox.note(fixture.event(.refreshed, "s1", details: ["n": .number(JSONNumber(number))]))
            await fixture.work(seconds: 12)
            sizes.append(try await fixture.entries("events").values.reduce(0) { $0 + $1.count })
        }
        #expect(sizes.allSatisfy { $0 < 1024 })
        #expect(fixture.count(.refreshed, .replaced) == 299)
        try await fixture.outbox.write(fixture.event(.signedOut, "s1"))
        #expect(try await fixture.entries("events").values.reduce(0) { $0 + $1.count } < 1536)
        fixture.world.answer(200)
        let before = fixture.world.received.count
        await fixture.work(seconds: 3700)
        let received = fixture.world.received.dropFirst(before)
        #expect(received.map { $0.member("type") } == ["signed_in", "refreshed", "signed_out"])
        #expect(try await fixture.entries("events").isEmpty)
        #expect(try await fixture.entries("events-due").isEmpty)
    }

    /// A record that an earlier version has left behind, which held up to 256 events.
    @Test(arguments: OutboxStoreKind.allCases)
    func longRecordOfAnEarlierVersionIsDelivered(_ kind: OutboxStoreKind) async throws {
        let fixture = try await OutboxFixture(kind)
        let (id, start) = (fixture.event(.revoked, "s1").streamID, fixture.world.now)
        let messages = (0..<256).map { number in
            let body: JSONObject = ["id": .string("evt_\(number)"), "sid": "s1"]
            return OutboxMessage(
                id: "evt_\(number)",
                content: .event(.revoked),
                createdAt: start + Double(number),
                body: String(decoding: JSONWriter.bytes(of: body), as: UTF8.self)
            )
        }
        let record: JSONObject = [
            "v": 1, "id": .string(id), "channel": "events", "tenant": "shop", "next": .time(start), "attempts": 0,
            "messages": .array(messages.map { .object($0.json) }),
        ]
        _ = try await fixture.store.change([
            EntryChange(StoreCollection("outbox-events"), id, to: JSONWriter.bytes(of: record)),
            EntryChange(
                StoreCollection("outbox-events-due"),
                "01800000000-\(id)",
                to: Array("01800000000 shop".utf8)
            ),
        ])
        fixture.world.pass(300)
        // No room for one more, but for what is there already.
        try await fixture.outbox.write(fixture.event(.signedOut, "s1"))
        #expect(fixture.count(.signedOut, .dropped) == 1)
        await fixture.work(seconds: 20)
        #expect(fixture.world.received.map { $0.field("webhook-id") } == (0..<256).map { "evt_\($0)" })
        #expect(try await fixture.entries("events").isEmpty)
    }

    /// Nobody who asks waits for the receiver, and what it keeps waiting has a bound.
    @Test(.timeLimit(.minutes(1)), arguments: OutboxStoreKind.allCases)
    func receiverThatDoesNotAnswerHoldsUpNeitherReportsNorMemory(_ kind: OutboxStoreKind) async throws {
        let fixture = try await OutboxFixture(kind)
        let gate = Awaited(false)
        fixture.world.hold(gate)
        for session in 0..<50 { await fixture.outbox.keep(fixture.event(.signedIn, "\(session)")) }
        let running = Task { await fixture.outbox.run() }
        defer { running.cancel() }
        await fixture.world.arrived(ReceiverHealth.mostOfEvents)
        // These return although no request has been answered.
        for session in 0..<50 { try await fixture.outbox.write(fixture.event(.signedOut, "\(session)")) }
        for session in 0..<50 { fixture.outbox.note(fixture.event(.refreshed, "\(session)")) }
        #expect(fixture.world.received.count == ReceiverHealth.mostOfEvents)
        gate.update { $0 = true }
        await fixture.world.arrived(150)
        #expect(fixture.world.overlaps == 0)
    }

    @Test func eventOfAFailedStoreIsStoredWhenItIsBack() async {
        let store = FailingStore()
        let fixture = OutboxFixture(OutboxWorld(), store)
        store.cut()
        await fixture.outbox.keep(fixture.event(.signedIn, "s1"))
        await fixture.outbox.work()
        #expect(fixture.world.received.isEmpty)
        store.heal()
        await fixture.outbox.work()
        #expect(fixture.world.received.map { $0.member("type") } == ["signed_in"])
    }

    @Test func endThatCannotBeStoredIsSaidToWhoReportsIt() async throws {
        let store = FailingStore()
        let fixture = OutboxFixture(OutboxWorld(), store)
        fixture.outbox.note(fixture.event(.refreshed, "s1"))
        store.cut()
        let end = Event.end(
            of: "s1",
            as: .revoked,
            subject: "alice",
            tenant: "shop",
            at: fixture.world.now,
            details: [:]
        )
        await #expect(throws: StoreError.self) { try await fixture.outbox.write(end) }
        let logout = ClientLogout(tenant: "shop", client: "web", subject: "alice", session: "s1")
        await #expect(throws: StoreError.self) { try await fixture.outbox.write(logout) }
        store.heal()
        try await fixture.outbox.write(end)
        await fixture.work(seconds: 3)
        #expect(fixture.world.received.map { $0.member("type") } == ["refreshed", "revoked"])
    }

    @Test(arguments: OutboxStoreKind.allCases) func onlyTheTypesAskedForAreSent(_ kind: OutboxStoreKind) async throws {
        var settings = OutboxFixture.settings
        settings.types = [.signedOut]
        let fixture = try await OutboxFixture(kind, settings: settings)
        await fixture.outbox.keep(fixture.event(.signedIn, "s1"))
        fixture.outbox.note(fixture.event(.refreshed, "s1"))
        await fixture.outbox.keep(fixture.event(.signedOut, "s1"))
        await fixture.outbox.work()
        #expect(fixture.world.received.map { $0.member("type") } == ["signed_out"])
    }

    @Test(arguments: OutboxStoreKind.allCases) func instanceWithoutAWebhookLeavesEventsToOthers(_ kind: OutboxStoreKind)
        async throws
    {
        let fixture = try await OutboxFixture(kind)
        await fixture.outbox.keep(fixture.event(.signedIn, "s1"))
        let other = OutboxFixture(fixture.world, fixture.store, settings: nil)
        await other.work(seconds: 20)
        #expect(fixture.world.received.isEmpty)
        await fixture.outbox.work()
        #expect(fixture.world.received.count == 1)
    }

    @Test(arguments: OutboxStoreKind.allCases) func instanceWithoutAWebhookRemovesWhatHasExpired(
        _ kind: OutboxStoreKind
    ) async throws {
        let fixture = try await OutboxFixture(kind)
        await fixture.outbox.keep(fixture.event(.signedIn, "s1"))
        let other = OutboxFixture(fixture.world, fixture.store, settings: nil)
        fixture.world.pass(7 * 86_400)
        await other.outbox.work()
        #expect(other.count(.signedIn, .expired) == 1)
        #expect(try await fixture.store.entries(of: StoreCollection("outbox-events-due"), after: nil, limit: 9).isEmpty)
        #expect(try await fixture.store.entries(of: StoreCollection("outbox-events"), after: nil, limit: 9).isEmpty)
    }

    @Test(arguments: OutboxStoreKind.allCases) func whatWaitsIsCountedWithTheAgeOfTheOldest(_ kind: OutboxStoreKind)
        async throws
    {
        let fixture = try await OutboxFixture(kind)
        fixture.world.answer(500)
        await fixture.outbox.keep(fixture.event(.signedIn, "s1"))
        fixture.world.pass(30)
        await fixture.outbox.keep(fixture.event(.signedIn, "s2"))
        await fixture.outbox.work()
        let pending = fixture.outbox.counts.snapshot().pending["events"]
        #expect(pending?.count == 2)
        #expect(pending?.oldest == UnixTime(1_800_000_000))
    }

    /// A record that cannot be read keeps neither new events out nor its own place for ever.
    @Test(arguments: OutboxStoreKind.allCases)
    func unreadableRecordIsSetAsideUntilItExpires(_ kind: OutboxStoreKind) async throws {
        let fixture = try await OutboxFixture(kind)
        let streams = StoreCollection("outbox-events")
        func garble(_ session: String) async throws {
            await fixture.outbox.keep(fixture.event(.signedIn, session))
            let id = fixture.event(.signedIn, session).streamID
            _ = try await fixture.store.change([EntryChange(streams, id, to: Array("{".utf8))])
        }
        try await garble("found by the delivery")
        await fixture.outbox.work()
        #expect(try await fixture.entries("events").isEmpty)
        #expect(try await fixture.entries("events-due").isEmpty)
        #expect(try await fixture.entries("events-unreadable").values.map { $0 } == [Array("{".utf8)])
        #expect(fixture.count("unknown", .dropped) == 1)
        try await garble("found by an addition")
        try await fixture.outbox.write(fixture.event(.signedOut, "found by an addition"))
        await fixture.work(seconds: 3)
        #expect(fixture.world.received.map { $0.member("type") } == ["signed_out"])
        #expect(try await fixture.entries("events-unreadable").count == 2)
        fixture.world.pass(7 * 86_400)
        await fixture.work(seconds: 1)
        #expect(try await fixture.entries("events-unreadable").isEmpty)
        #expect(try await fixture.entries("events-due").isEmpty)
    }

    /// What is set aside has a bound of its own.
    @Test func manyUnreadableRecordsAreNotAllKept() async throws {
        let fixture = OutboxFixture()
        let streams = StoreCollection("outbox-events")
        for session in 0..<120 {
            await fixture.outbox.keep(fixture.event(.signedIn, "\(session)"))
            let id = fixture.event(.signedIn, "\(session)").streamID
            _ = try await fixture.store.change([EntryChange(streams, id, to: Array("{".utf8))])
        }
        await fixture.work(seconds: 2)
        #expect(try await fixture.entries("events-unreadable").count == OutboxRecords.mostAside)
        #expect(try await fixture.entries("events").isEmpty)
        #expect(try await fixture.entries("events-due").isEmpty)
        #expect(fixture.count("unknown", .dropped) == 120)
    }

    /// A sign-out that is reported while the session's earlier events are being written comes after them.
    @Test(arguments: OutboxStoreKind.allCases)
    func eventReportedDuringAFlushComesAfterWhatIsFlushed(_ kind: OutboxStoreKind) async throws {
        let fixture = try await OutboxFixture(kind)
        let sessions = (0..<200).map { "s\($0)" }
        for session in sessions { fixture.outbox.note(fixture.event(.refreshed, session)) }
        // As far as the clock goes all of it happens at once, so that only the order of the reports counts.
        await withDiscardingTaskGroup { group in
            group.addTask { await fixture.outbox.flush() }
            for session in sessions {
                group.addTask { try? await fixture.outbox.write(fixture.event(.signedOut, session)) }
            }
        }
        await fixture.work(seconds: 3)
        let received = fixture.world.received
        #expect(received.count == 400)
        for session in sessions {
            let types = received.filter { $0.member("sid") == session }.map { $0.member("type") }
            #expect(types == ["refreshed", "signed_out"])
        }
    }

    @Test func endOfASessionHasOneIDHoweverOftenItIsNoticed() {
        func id(_ session: String, _ tenant: String = "shop") -> String {
            Event.end(of: session, as: .revoked, subject: nil, tenant: tenant, at: UnixTime(0), details: [:]).id
        }
        #expect(id("s1") == id("s1"))
        #expect(Set([id("s1"), id("s2"), id("s1", "other")]).count == 3)
    }
}
