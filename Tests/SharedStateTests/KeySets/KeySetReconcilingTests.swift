import Logging
import Store
import TestSupport
import Testing
import Time
import Verification

@testable import SharedState

/// Reconciling an instance with the store after a missed announcement, or lost data.
@Suite(.timeLimit(.minutes(1))) struct KeySetReconcilingTests {
    private func store(_ record: KeySetRecord, in fixture: KeySetFixture) async {
        let logger = Logger(label: "another") { _ in SwiftLogNoOpLogHandler() }
        _ = await SharedKeySets(store: fixture.store, logger: logger).publish(record)
    }

    private func stored(in fixture: KeySetFixture) async throws -> KeySet? {
        let logger = Logger(label: "another") { _ in SwiftLogNoOpLogHandler() }
        return try await SharedKeySets(store: fixture.store, logger: logger)
            .heldSet(for: KeySetFixture.source.locationText)?.keys
    }

    private func withService(_ visit: (KeySetFixture, KeySet) async throws -> Void) async throws {
        let set = try SampleKeys.keySet()
        let fixture = KeySetFixture(provider: PretendProvider(set))
        fixture.start()
        await fixture.used[0].wait { $0.count == 1 }
        // It is shared after it is used.
        while try await stored(in: fixture) == nil { await Task.yield() }
        do {
            try await visit(fixture, SampleKeys.parsed(set))
        } catch {
            await fixture.stop()
            throw error
        }
        await fixture.stop()
    }

    @Test func olderSetInTheStoreIsReplaced() async throws {
        try await withService { fixture, ours in
            let old = try SampleKeys.keySet()
            let location = KeySetFixture.source.locationText
            await store(
                SampleKeys.record(old, fetchedAt: fixture.clock.now.unix - 600, location: location),
                in: fixture
            )
            await fixture.services[0].reconcile()
            #expect(fixture.used[0].value == [ours], "a key that was withdrawn must not come back")
            #expect(try await stored(in: fixture) == ours)
        }
    }

    @Test func newerUnannouncedSetIsAdopted() async throws {
        try await withService { fixture, ours in
            let new = try SampleKeys.keySet()
            let location = KeySetFixture.source.locationText
            await store(
                SampleKeys.record(new, fetchedAt: fixture.clock.now.unix + 1, location: location),
                in: fixture
            )
            await fixture.services[0].reconcile()
            #expect(fixture.used[0].value == [ours, try SampleKeys.parsed(new)])
        }
    }

    @Test func emptyStoreGetsTheSetAgain() async throws {
        try await withService { fixture, ours in
            let location = KeySetFixture.source.locationText
            try await fixture.store.remove(StoreKey(tenant: nil, kind: "key-set", hashing: location.utf8))
            await fixture.services[0].reconcile()
            #expect(try await stored(in: fixture) == ours)
        }
    }

    @Test func absentStoreChangesNothing() async throws {
        try await withService { fixture, ours in
            fixture.store.setUp(false)
            await fixture.services[0].reconcile()
            #expect(fixture.used[0].value == [ours])
        }
    }
}
