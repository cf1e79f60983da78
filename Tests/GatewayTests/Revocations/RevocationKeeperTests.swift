import Logging
import NIOCore
import NIOPosix
import Store
import Testing

@testable import Gateway

/// How an instance follows the store: through cuts, losses and its own sign-outs.
struct RevocationKeeperTests {
    private let store = FailingStore()
    private let keeper: RevocationKeeper
    private let updates: AsyncStream<RevocationUpdate>

    init() {
        let (updates, continuation) = AsyncStream.makeStream(of: RevocationUpdate.self)
        self.updates = updates
        keeper = RevocationKeeper(
            store: store,
            tenants: ["app"],
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            distribute: { update in
                continuation.yield(update)
                return []
            },
            announced: { _ in }
        )
    }

    private func withRunningKeeper(_ visit: () async throws -> Void) async throws {
        let running = Task { await keeper.run() }
        defer { running.cancel() }
        await keeper.loaded(within: .seconds(20), on: MultiThreadedEventLoopGroup.singleton.any())
        #expect(await keeper.isLoaded)
        try await visit()
    }

    private func revocation(_ session: String) -> Revocation {
        Revocation(tenant: "app", target: .session(session), revokedAt: 1)
    }

    /// Waits for an update that satisfies `holds`.
    private func seen(_ holds: (RevocationUpdate) -> Bool) async -> Bool {
        for await update in updates where holds(update) { return true }
        return false
    }

    private func has(_ session: String) -> (RevocationUpdate) -> Bool {
        { update in update.sets["app"]?[RevocationDigest(.session(session))]?.isInForce(at: 2) ?? false }
    }

    @Test func whatAnotherInstanceRevokesReachesTheLoops() async throws {
        try await withRunningKeeper {
            _ = try await store.store.revoke([revocation("s1")])
            #expect(await seen(has("s1")))
        }
    }

    @Test func revocationIsAtTheLoopsWhenItIsAcknowledged() async throws {
        _ = try await keeper.revoke([revocation("s1")])
        #expect(await seen(has("s1")))
        #expect(await keeper.counts == ["app": 1])
        let withdrawn = try await keeper.withdraw([.session("s1")], tenant: "app")
        #expect(withdrawn.count == 1)
        #expect(await keeper.counts == ["app": 0])
    }

    @Test func revocationThatTheStoreDoesNotTakeIsNoneButASignOutIs() async throws {
        store.cut()
        await #expect(throws: StoreError.self) { try await keeper.revoke([revocation("s1")]) }
        #expect(await keeper.counts == ["app": 0])
        await keeper.revokeAnyway([revocation("s2")])
        #expect(await seen(has("s2")))
        #expect(await keeper.counts == ["app": 1])
    }

    @Test func signOutIsStoredWhenTheStoreIsBack() async throws {
        try await withRunningKeeper {
            store.cut()
            await keeper.revokeAnyway([revocation("s1")])
            let before = try await store.store.revocations(tenant: "app", cursor: nil, limit: 10)
            #expect(before.records.isEmpty)
            store.heal()
            // Another instance is told: it is in the store.
            let other = try await store.store.loadRevocations(tenants: ["app"]) { _ in }
            var stored = try await store.store.revocations(tenant: "app", cursor: nil, limit: 10).records
            var position = other
            while stored.isEmpty {
                if case .changes(_, _, let next) = try await store.store.news(after: position, waiting: .seconds(20)) {
                    position = next
                }
                stored = try await store.store.revocations(tenant: "app", cursor: nil, limit: 10).records
            }
            #expect(stored.map(\.digest) == [RevocationDigest(.session("s1"))])
        }
    }

    @Test func nothingIsMissedWhileCutOff() async throws {
        try await withRunningKeeper {
            store.cut()
            _ = try await store.store.revoke([revocation("s1")])
            store.heal()
            #expect(await seen(has("s1")))
        }
    }

    @Test func whatTheStoreHasLostIsPutBack() async throws {
        try await withRunningKeeper {
            _ = try await keeper.revoke([revocation("s1")])
            store.loseEverything()
            _ = try await store.store.revoke([revocation("s2")])
            #expect(await seen(has("s2")))
            #expect(await keeper.counts == ["app": 2])
            let records = try await store.store.revocations(tenant: "app", cursor: nil, limit: 10).records
            #expect(Set(records.map(\.digest)) == Set(["s1", "s2"].map { RevocationDigest(.session($0)) }))
        }
    }
}
