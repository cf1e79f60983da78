import Logging
import Store
import Synchronization
import TestSupport
import Testing
import Time

@testable import AccountDeletion
@testable import IdentityProvider

/// Deletions on two instances that stop at any point, with a store and steps that fail.
struct DeletionModelTests {
    /// Faults by a fixed seed, and the time of all instances.
    private final class World: DeletionSteps {
        struct State {
            var random: SplitMix64
            var now = UnixTime(1_800_000_000)
            /// Of steps; 0 to 1.
            var faults = 0.0
            /// Store calls until the store fails; nil: it works.
            var callsLeft: Int?
            var running: Set<String> = []
            var overlaps = 0
            /// The order of successes, by deletion.
            var successes: [String: [Deletion.Step]] = [:]
            var finished: Set<String> = []
            /// What happens while a step is carried out.
            var meanwhile: (@Sendable (Deletion.Step) async -> Void)?
        }

        let state: Mutex<State>
        let store = WatchedStore()

        init(seed: UInt64) {
            state = Mutex(State(random: SplitMix64(seed: seed)))
            store.onCall { [weak self] (_) async throws(StoreError) in
                if self?.storeFails() ?? false { throw .unavailable("gone") }
            }
        }

        private func storeFails() -> Bool {
            state.withLock { state in
                guard let left = state.callsLeft else { return false }
                state.callsLeft = max(0, left - 1)
                return left == 0
            }
        }

        var now: UnixTime { state.withLock { $0.now } }

        func chance() -> Double { state.withLock { Double.random(in: 0..<1, using: &$0.random) } }

        func carryOut(_ step: Deletion.Step, of deletion: Deletion, at now: UnixTime) async -> Deletion.Result {
            let name = "\(deletion.id) \(step)"
            state.withLock { if !$0.running.insert(name).inserted { $0.overlaps += 1 } }
            await Task.yield()
            await state.withLock { $0.meanwhile }?(step)
            return state.withLock { state in
                state.running.remove(name)
                guard Double.random(in: 0..<1, using: &state.random) >= state.faults else {
                    return .failed(DeletionFailure(.unreachable))
                }
                state.successes[deletion.id, default: []].append(step)
                return step == .google ? .nothingToDo : .done
            }
        }

        func hasAccount(_ subject: String) async throws(AccountProblem) -> Bool { false }

        func finish(_ deletion: Deletion) async throws(AccountProblem) {
            if chance() < state.withLock({ $0.faults }) { throw .unavailable(.storeUnavailable) }
            state.withLock { _ = $0.finished.insert(deletion.id) }
        }

        func instance(most: Int = DeletionRecords.most) -> DeletionService {
            DeletionService(
                store: store,
                participants: ["shop": DeletionService.Participant(scope: "tenant shop", steps: self)],
                counts: DeletionCounts(),
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
                most: most,
                now: { [weak self] in self?.now ?? 0 },
                jitter: { [weak self] in self?.chance() ?? 0 }
            )
        }

        /// The number of places in both queues, and of deletions.
        func counts() async throws -> (places: Int, deletions: Int) {
            var places = 0
            for queue in [DeletionRecords.waiting, DeletionRecords.ended] {
                places += try await store.memory.entries(of: queue, after: nil, limit: 1000).count
            }
            let deletions = try await store.memory.entries(of: DeletionRecords.deletions, after: nil, limit: 1000)
            return (places, deletions.count)
        }
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
    func everyAcknowledgedDeletionIsDoneWhateverFails(_ seed: UInt64) async throws {
        let world = World(seed: seed)
        var instances = [world.instance(), world.instance()]
        var acknowledged: [String: String] = [:]
        for round in 0..<120 {
            world.state.withLock { $0.faults = 0.4 }
            let (what, which) = (world.chance(), world.chance() < 0.5 ? 0 : 1)
            // The store stops somewhere in between: what is under way then is lost, as with the instance.
            let calls = Int(world.chance() * 12)
            if what < 0.5 { world.state.withLock { $0.callsLeft = calls } }
            if what < 0.3 {
                let subject = "u-\(round % 20)"
                if let deletion = try? await instances[which].begin(subject, ofTenant: "shop", by: "r") {
                    // The same account has the same receipt.
                    #expect(acknowledged[subject, default: deletion.id] == deletion.id)
                    acknowledged[subject] = deletion.id
                }
            } else {
                let (first, second) = (instances[0], instances[1])
                async let one: Void = first.work()
                async let other: Void = second.work()
                _ = await (one, other)
            }
            if what < 0.1 || what > 0.95 { instances[which] = world.instance() }
            world.state.withLock { $0.callsLeft = nil }
            let counts = try await world.counts()
            #expect(counts.places == counts.deletions)
            let step = world.chance() * 400
            world.state.withLock { $0.now = $0.now + step }
        }
        #expect(!acknowledged.isEmpty)
        world.state.withLock { $0.faults = 0 }
        for _ in 0..<12 {
            for instance in instances { await instance.work() }
            world.state.withLock { $0.now = $0.now + 3600 }
        }
        for id in acknowledged.values {
            let deletion = try #require(try await instances[0].deletion(id))
            #expect(deletion.endedAt != nil, "\(deletion.steps)")
            let (order, isFinished, overlaps) = world.state.withLock {
                ($0.successes[id] ?? [], $0.finished.contains(id), $0.overlaps)
            }
            #expect(Set(order) == Set(Deletion.Step.allCases))
            let account = try #require(order.firstIndex(of: .account))
            #expect(order.lastIndex(of: .sessions).map { $0 > account } ?? false)
            #expect(isFinished)
            #expect(overlaps == 0)
        }
    }

    @Test func deletionIsRemovedThirtyDaysAfterItsEnd() async throws {
        let world = World(seed: 1)
        let instance = world.instance()
        let deletion = try await instance.begin("u-1", ofTenant: "shop", by: "r")
        await instance.work()
        world.state.withLock { $0.now = $0.now + Deletion.retention - 60 }
        await instance.work()
        #expect(try await instance.deletion(deletion.id)?.endedAt != nil)
        world.state.withLock { $0.now = $0.now + 120 }
        await instance.work()
        #expect(try await instance.deletion(deletion.id) == nil)
        let counts = try await world.counts()
        #expect(counts.places == 0 && counts.deletions == 0)
        #expect(try await instance.find("u-1", ofTenant: "shop") == nil)
    }

    /// Whoever has left a tenant out of its configuration leaves its deletions to others, and goes on with its own.
    @Test func deletionsOfUnknownTenantsDoNotStopOthers() async throws {
        let world = World(seed: 1)
        let records = DeletionRecords(store: world.store, logger: RecordedLog().logger)
        let now = world.state.withLock { $0.now }
        for index in 0..<100 {
            let name = "elsewhere-\(index)"
            let deletion = Deletion(id: name, tenant: "other", scope: "tenant other", subject: name, at: now - 60)
            _ = try await records.add(deletion, insteadOf: nil)
        }
        world.state.withLock { $0.faults = 1 }
        let instance = world.instance()
        let deletion = try await instance.begin("u-1", ofTenant: "shop", by: "r")
        world.state.withLock { ($0.faults, $0.now) = (0, now + 60) }
        for _ in 0..<3 { await instance.work() }
        #expect(try await instance.deletion(deletion.id)?.endedAt != nil)
    }

    /// It may be a later version's.
    @Test func unreadableDeletionIsTriedAgainInAnHour() async throws {
        let world = World(seed: 1)
        let (log, now) = (RecordedLog(), world.state.withLock { $0.now })
        let records = DeletionRecords(store: world.store, logger: log.logger)
        let id = "AAAAAAAAAAAAAAAAAAAAAA"
        let deletion = Deletion(id: id, tenant: "shop", scope: "tenant shop", subject: "u", at: now)
        _ = try await records.add(deletion, insteadOf: nil)
        _ = try await world.store.change([EntryChange(DeletionRecords.deletions, id, to: Array("{}".utf8))])
        let instance = world.instance()
        await instance.work()
        let places = try await records.places(in: DeletionRecords.waiting, after: nil, limit: 10)
        #expect(places.map(\.time) == [now + 3600])
        _ = try await world.store.change([EntryChange(DeletionRecords.deletions, id, to: deletion.json)])
        world.state.withLock { $0.now = $0.now + 3600 }
        await instance.work()
        #expect(try await instance.deletion(id)?.endedAt != nil)
    }

    @Test func stepsAreRepeatedAtOnceIfOneIsReopenedWhileTheyAreCarriedOut() async throws {
        let world = World(seed: 1)
        let (instance, other) = (world.instance(), world.instance())
        let deletion = try await instance.begin("u-1", ofTenant: "shop", by: "r")
        world.state.withLock { state in
            state.meanwhile = { step in
                guard step == .backend else { return }
                world.state.withLock { $0.meanwhile = nil }
                try? await other.reopen(.apple, ofSubject: "u-1", tenant: "shop")
            }
        }
        await instance.work()
        #expect(try await instance.deletion(deletion.id)?.endedAt == nil)
        await other.work()
        #expect(try await instance.deletion(deletion.id)?.endedAt != nil)
        let order = world.state.withLock { $0.successes[deletion.id] ?? [] }
        #expect(order.count { $0 == .apple } == 2)
    }

    /// Receipts make room for deletions, which must not be refused.
    @Test func oldestReceiptsGoFirstWhenThereAreTooMany() async throws {
        let world = World(seed: 1)
        let instance = world.instance(most: 3)
        for index in 0..<3 { _ = try await instance.begin("u-\(index)", ofTenant: "shop", by: "r") }
        await #expect(throws: StoreError.self) { try await instance.begin("u-3", ofTenant: "shop", by: "r") }
        await instance.work()
        let deletion = try await instance.begin("u-3", ofTenant: "shop", by: "r")
        #expect(try await instance.deletions(after: nil, limit: 10).map(\.id) == [deletion.id])
        let counts = try await world.counts()
        #expect(counts.places == counts.deletions)
    }

    /// Its deletion was lost with a store that was restored in part.
    @Test func subjectOfALostDeletionCanBeDeletedAgain() async throws {
        let world = World(seed: 1)
        let instance = world.instance()
        let lost = try await instance.begin("u-1", ofTenant: "shop", by: "r")
        _ = try await world.store.change([EntryChange(DeletionRecords.deletions, lost.id, to: nil)])
        let deletion = try await instance.begin("u-1", ofTenant: "shop", by: "r")
        #expect(deletion.id != lost.id)
        #expect(try await instance.find("u-1", ofTenant: "shop")?.id == deletion.id)
    }

    @Test func deletionWithoutAStoreIsNotAcknowledged() async throws {
        let world = World(seed: 1)
        world.store.fail([.change])
        await #expect(throws: StoreError.self) {
            try await world.instance().begin("u-1", ofTenant: "shop", by: "r")
        }
        #expect(world.state.withLock { $0.successes.isEmpty })
    }
}
