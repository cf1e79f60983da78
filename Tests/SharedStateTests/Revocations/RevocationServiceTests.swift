import Logging
import NIOCore
import NIOPosix
import Store
import Synchronization
import TestSupport
import Testing
import Time

@testable import SharedState

private final class Flag: Sendable {
    private let state = Mutex(false)

    var isRaised: Bool { state.withLock { $0 } }

    func raise() { state.withLock { $0 = true } }
}

/// How an instance follows the store: through cuts, losses and its own sign-outs.
struct RevocationServiceTests {
    private let store = FailingStore()
    private let service: RevocationService
    private let updates: AsyncStream<RevocationUpdate>

    init() {
        let (updates, continuation) = AsyncStream.makeStream(of: RevocationUpdate.self)
        self.updates = updates
        service = RevocationService(
            store: store,
            tenants: ["app"],
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            distribute: { update in
                continuation.yield(update)
                return []
            },
            onEvent: { _ in }
        )
    }

    private func withRunningService(_ visit: () async throws -> Void) async throws {
        let running = Task { await service.run() }
        defer { running.cancel() }
        await service.loaded(within: .seconds(20), on: MultiThreadedEventLoopGroup.singleton.any())
        #expect(await service.isLoaded)
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

    @Test func revocationOfAnotherInstanceReachesTheLoops() async throws {
        try await withRunningService {
            _ = try await store.store.revoke([revocation("s1")])
            #expect(await seen(has("s1")))
        }
    }

    @Test func revocationIsAcknowledgedOnlyWhenTheLoopsHaveIt() async throws {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.any()
        let isInForce = eventLoop.makePromise(of: Void.self)
        let (handed, continuation) = AsyncStream.makeStream(of: Void.self)
        let service = RevocationService(
            store: store,
            tenants: ["app"],
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            distribute: { _ in
                continuation.yield()
                return [isInForce.futureResult]
            },
            onEvent: { _ in }
        )
        let isAcknowledged = Flag()
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                _ = try await service.revoke([revocation("s1")])
                isAcknowledged.raise()
            }
            for await _ in handed { break }
            #expect(!isAcknowledged.isRaised)
            isInForce.succeed()
            try await tasks.waitForAll()
        }
    }

    @Test func revocationAndWithdrawalReachTheLoops() async throws {
        _ = try await service.revoke([revocation("s1")])
        #expect(await seen(has("s1")))
        #expect(await service.counts == ["app": 1])
        let withdrawn = try await service.withdraw([.session("s1")], tenant: "app")
        #expect(withdrawn.count == 1)
        #expect(await service.counts == ["app": 0])
    }

    @Test func failedWriteRevokesNothingExceptSignOuts() async throws {
        store.cut()
        await #expect(throws: StoreError.self) { try await service.revoke([revocation("s1")]) }
        #expect(await service.counts == ["app": 0])
        #expect(await !service.revokeImmediately([revocation("s2")]))
        #expect(await seen(has("s2")))
        #expect(await service.counts == ["app": 1])
    }

    @Test func signOutIsWrittenWhenTheStoreIsBack() async throws {
        try await withRunningService {
            store.cut()
            #expect(await !service.revokeImmediately([revocation("s1")]))
            let before = try await store.store.revocations(tenant: "app", cursor: nil, limit: 10)
            #expect(before.records.isEmpty)
            store.heal()
            // Another instance gets it: it is in the store.
            let other = try await store.store.loadRevocations(tenants: ["app"]) { _ in }
            var stored = try await store.store.revocations(tenant: "app", cursor: nil, limit: 10).records
            var position = other
            while stored.isEmpty {
                if case .changes(_, _, let next) = try await store.store.changes(after: position, waiting: .seconds(20))
                {
                    position = next
                }
                stored = try await store.store.revocations(tenant: "app", cursor: nil, limit: 10).records
            }
            #expect(stored.map(\.digest) == [RevocationDigest(.session("s1"))])
        }
    }

    /// What `onRevoked` was called for, and whether it fails.
    private final class Reports: Sendable {
        let made = Mutex<[String]>([])
        let fails = Mutex(false)

        func report(_ revocations: [Revocation], _ isSignOut: Bool) throws(StoreError) {
            if fails.withLock({ $0 }) { throw .unavailable("cut off") }
            let names = revocations.map { if case .session(let id) = $0.target { id } else { "" } }
            made.withLock { $0.append(names.joined(separator: "+") + (isSignOut ? " signed out" : " revoked")) }
        }
    }

    private func service(_ reports: Reports) -> RevocationService {
        RevocationService(
            store: store,
            tenants: ["app"],
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            distribute: { _ in [] },
            onEvent: { _ in },
            onRevoked: { (revocations, isSignOut) async throws(StoreError) in
                try reports.report(revocations, isSignOut)
            }
        )
    }

    /// While the store is away nobody is told, and once it is back each is told once, as what it was.
    @Test func signOutIsReportedOnceItIsStored() async throws {
        let reports = Reports()
        let service = service(reports)
        store.cut()
        #expect(await !service.revokeImmediately([revocation("a"), revocation("b")]))
        #expect(await !service.revokeImmediately([revocation("c")], isSignOut: false))
        #expect(reports.made.withLock { $0 }.isEmpty)
        store.heal()
        #expect(await service.revokeImmediately([revocation("d")]))
        #expect(reports.made.withLock { $0 } == ["d signed out"])
        // The last attempt at the end of a run.
        let running = Task { await service.run() }
        running.cancel()
        await running.value
        #expect(reports.made.withLock { $0 } == ["d signed out", "a+b signed out", "c revoked"])
    }

    @Test func revocationThatCannotBeReportedIsToBeRepeated() async throws {
        let reports = Reports()
        let service = service(reports)
        reports.fails.withLock { $0 = true }
        await #expect(throws: StoreError.self) { try await service.revoke([revocation("a")]) }
        #expect(await !service.revokeImmediately([revocation("b")]))
        reports.fails.withLock { $0 = false }
        _ = try await service.revoke([revocation("a")])
        let running = Task { await service.run() }
        running.cancel()
        await running.value
        #expect(reports.made.withLock { $0 } == ["a revoked", "b signed out"])
    }

    /// A reload that was refused because of the store must not have the next one pass.
    @Test func addedTenantIsNotLoadedAtOnce() async throws {
        try await withRunningService {
            let loop = MultiThreadedEventLoopGroup.singleton.any()
            let theirs = Revocation(tenant: "second", target: .session("stolen"), revokedAt: 1)
            _ = try await store.store.revoke([theirs])
            store.cut()
            await store.failed()
            for _ in 0..<2 {
                #expect(await !service.follow(["app", "second"], within: .milliseconds(20), on: loop))
            }
            // Who does not need it is not held up.
            #expect(await service.follow(["app"], within: .milliseconds(20), on: loop))
            store.heal()
            #expect(await service.follow(["app", "second"], within: .seconds(20), on: loop))
            #expect(await service.set(ofTenant: "second")[RevocationDigest(.session("stolen"))] != nil)
        }
    }

    /// Ten thousand tenants are not loaded again for one more.
    @Test func onlyAddedTenantsAreLoaded() async throws {
        try await withRunningService {
            let loop = MultiThreadedEventLoopGroup.singleton.any()
            _ = try await service.revoke([revocation("mine")])
            _ = try await store.store.revoke([Revocation(tenant: "second", target: .session("s"), revokedAt: 1)])
            #expect(await service.follow(["app", "second"], within: .seconds(20), on: loop))
            #expect(await service.set(ofTenant: "second")[RevocationDigest(.session("s"))] != nil)
            #expect(await service.set(ofTenant: "app")[RevocationDigest(.session("mine"))] != nil)
            #expect(store.loads == [["app"], ["second"]])
        }
    }

    /// With a smaller limit than before the copy would be too old at first, and requests would be refused needlessly.
    @Test func loopsGetAContactBeforeACloserPaceApplies() async throws {
        let calm = RevocationPace(wait: .seconds(1), quiet: 600_000_000_000)
        await service.slowDown(to: calm)
        try await withRunningService {
            let asked = Clock.monotonic()
            let loop = MultiThreadedEventLoopGroup.singleton.any()
            #expect(await service.follow(["app"], pace: .closest, within: .seconds(20), on: loop))
            #expect(await service.contact.last ?? 0 >= asked)
            #expect(await seen { $0.contact ?? 0 >= asked })
        }
    }

    @Test func changesDuringADisconnectionAreNotMissed() async throws {
        try await withRunningService {
            store.cut()
            _ = try await store.store.revoke([revocation("s1")])
            // It was refused once: what it waited for before the cut is over.
            await store.failed()
            store.heal()
            #expect(await seen(has("s1")))
        }
    }

    /// - Parameter isRead: Whether the service knows it from a load alone.
    @Test(arguments: [true, false])
    func lostRecordsAreRestored(isRead: Bool) async throws {
        if isRead { _ = try await store.store.revoke([revocation("s1")]) }
        try await withRunningService {
            if !isRead { _ = try await service.revoke([revocation("s1")]) }
            store.loseEverything()
            _ = try await store.store.revoke([revocation("s2")])
            #expect(await seen(has("s2")))
            #expect(await service.counts == ["app": 2])
            var position = try await store.store.loadRevocations(tenants: ["app"]) { _ in }
            while try await store.store.revocations(tenant: "app", cursor: nil, limit: 10).records.count < 2 {
                if case .changes(_, _, let next) = try await store.store.changes(after: position, waiting: .seconds(20))
                {
                    position = next
                }
            }
        }
    }

    @Test func fullPageIsNoContact() async throws {
        let many = (0..<StoreChanges.fullPage + 1).map { revocation("\($0)") }
        try await withRunningService {
            store.cut()
            await store.failed()
            _ = try await store.store.revoke(many)
            let before = try #require(await service.contact.last)
            store.heal()
            var contacts: [MonotonicTime?] = []
            for await update in updates {
                guard let count = update.sets["app"]?.count, count > 0 else { continue }
                contacts.append(update.contact)
                if count == many.count { break }
            }
            // Of the two pages the first proves nothing.
            #expect(contacts.count == 2 && contacts.first == before)
            #expect(try #require(contacts.last ?? nil) > before)
        }
    }
}
