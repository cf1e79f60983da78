import Store
import TestSupport
import Testing
import Time
import Verification

@testable import IdentityProvider
@testable import TokenSigning

/// Store failures and concurrent instances.
struct StoredKeysTroubleTests {
    private static let start = UnixTime(1_800_000_000)

    @Test(arguments: StoreKind.allCases)
    func concurrentStartsShareOneRing(_ kind: StoreKind) async throws {
        try await kind.run { stores in
            var instances: [KeyInstance] = []
            for _ in 0..<3 { instances.append(try KeyInstance(try await stores.store())) }
            try await withThrowingTaskGroup { group in
                for instance in instances { group.addTask { try await instance.keys.load(at: Self.start) } }
                try await group.waitForAll()
            }
            let sets = try await instances.asyncMap { try await $0.keys.published().keys }
            #expect(sets.allSatisfy { $0 == sets[0] } && sets[0].keys.count == 2)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func concurrentRotationsShareOneRing(_ kind: StoreKind) async throws {
        try await kind.run { stores in
            var instances: [KeyInstance] = []
            for _ in 0..<3 { instances.append(try KeyInstance(try await stores.store())) }
            for instance in instances { try await instance.keys.load(at: Self.start) }
            let now = Self.start + 86_400
            let plans = try await withThrowingTaskGroup(of: RotationPlan.self) { group in
                for (index, instance) in instances.enumerated() {
                    group.addTask { try await instance.keys.rotate(at: now + Double(index), dryRun: false) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(plans.map(\.takesOverAt)).count == 1 && Set(plans.map(\.nextKeyID)).count == 1)
            #expect(plans.count { !$0.isUnderWay } == 1)
            for instance in instances {
                instance.time = now
                await instance.keys.keepUp(at: now)
            }
            let states = try await instances.asyncMap { try await $0.keys.states(at: now) }
            #expect(states.allSatisfy { $0 == states[0] } && states[0].count == 2)
        }
    }

    @Test func storeFailureIsReportedUntilRecovery() async throws {
        let store = WatchedStore()
        let instance = try KeyInstance(store)
        store.fail(WatchedStore.Call.allCases)
        let problem = SigningProblem.store(.unavailable("gone"))
        await #expect(throws: problem) { try await instance.keys.load(at: Self.start) }
        await #expect(throws: problem) { try await instance.sign(.access) }
        await #expect(throws: problem) { try await instance.keys.published() }
        #expect("\(problem)".contains("signing keys"))
        #expect(instance.log.lines.count { $0.hasPrefix("error no tokens can be signed") } == 1)
        store.onCall(nil)
        instance.time += 10
        #expect(try instance.verify(await instance.sign(.access)).subject == "alice")
        #expect(instance.log.lines.contains { $0.hasPrefix("info the signing keys are read again") })
    }

    @Test func loadedRingSignsForOneHourWithoutStore() async throws {
        let store = WatchedStore()
        let instance = try KeyInstance(store)
        let keyID = try await instance.keyID()
        store.fail(WatchedStore.Call.allCases)
        for minute in 1...60 {
            instance.time = Self.start + Double(minute) * 60
            await instance.keys.keepUp(at: instance.time)
            #expect(try await instance.keyID() == keyID)
        }
        #expect(instance.log.lines.count { $0.hasPrefix("error") } == 1)
        instance.time += 1
        await #expect(throws: SigningProblem.outOfTouch(seconds: 3601)) { try await instance.sign(.access) }
        // It still publishes the last known keys.
        #expect(try await instance.keys.published().keys.keys.count == 2)
        store.onCall(nil)
        instance.time += 10
        #expect(try await instance.keyID() == keyID)
    }

    @Test func suspendedProcessReadsBeforeSigning() async throws {
        let store = MemoryStore.still
        let (awake, asleep) = (try KeyInstance(store), try KeyInstance(store))
        let old = try await asleep.keyID()
        awake.time = Self.start + 86_400
        let plan = try await awake.keys.rotate(at: awake.time, dryRun: false)
        asleep.time = plan.takesOverAt + 1
        let new = try await asleep.keyID()
        #expect(new == plan.nextKeyID && new != old)
    }

    @Test func writeWithLostResponseCounts() async throws {
        let store = WatchedStore()
        let instance = try KeyInstance(store)
        let first = try await instance.keyID()
        let now = Self.start + 86_400
        // The response to the replacement is lost, and the process crashes.
        store.onCall { (call) async throws(StoreError) in
            guard call == .replace else { return }
            store.onCall(nil)
            let other = try? KeyInstance(store)
            _ = try? await other?.keys.rotate(at: now, dryRun: false)
            throw .unavailable("no answer")
        }
        await #expect(throws: SigningProblem.store(.unavailable("no answer"))) {
            try await instance.keys.rotate(at: now, dryRun: false)
        }
        let restarted = try KeyInstance(store)
        restarted.time = now
        let plan = try await restarted.keys.rotate(at: now, dryRun: true)
        #expect(plan.isUnderWay && plan.activeKeyID == first && plan.takesOverAt == now + 300)
    }

    @Test func lostRingIsRestored() async throws {
        let store = MemoryStore.still
        let (one, other) = (try KeyInstance(store), try KeyInstance(store))
        let keyID = try await one.keyID()
        try await other.keys.load(at: Self.start)
        try await store.remove(StoreKey(tenant: "chat", kind: "signing-keys", name: "ES256"))
        await other.keys.keepUp(at: Self.start + 60)
        #expect(other.log.lines.contains { $0.hasPrefix("warning the signing keys were missing in the store") })
        await one.keys.keepUp(at: Self.start + 60)
        #expect(try await one.keyID() == keyID)
        #expect(try await KeyInstance(store).keyID() == keyID)
    }

    @Test func changeIsAnnounced() async throws {
        let store = MemoryStore.still
        try await store.open()
        let position = try await store.loadRevocations(tenants: ["chat"]) { _ in }
        let instance = try KeyInstance(store)
        try await instance.keys.load(at: Self.start)
        guard case .changes(_, let announcements, _) = try await store.changes(after: position, waiting: .zero) else {
            Issue.record("no changes")
            return
        }
        #expect(announcements == [Announcement(topic: StoredKeys.topic, subject: "chat")])
    }

    @Test func logHasNoKeys() async throws {
        let instance = try KeyInstance(MemoryStore.still)
        try await instance.keys.load(at: Self.start)
        _ = try await instance.keys.rotate(at: Self.start + 86_400, dryRun: false)
        #expect(instance.log.lines.contains { $0.hasPrefix("notice signing keys made") })
        #expect(instance.log.lines.contains { $0.hasPrefix("notice signing keys changed") })
        #expect(!instance.log.lines.contains { $0.contains("PRIVATE") || $0.contains("\"d\"") })
    }
}

extension Sequence {
    fileprivate func asyncMap<Result>(_ transform: (Element) async throws -> Result) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await transform(element)) }
        return results
    }
}
