import Store
import Testing
import Time
import Verification

@testable import IdentityProvider
@testable import TokenSigning

/// Keys in a store, by one instance.
struct StoredKeysTests {
    private static let start = UnixTime(1_800_000_000)
    private static let day = 86_400.0

    private func ring(in store: any Store, _ sealer: Sealer) async throws -> SigningKeyring {
        let key = StoreKey(tenant: "chat", kind: "signing-keys", name: "ES256")
        let json = try #require(try await store.sealedValue(for: key, with: sealer))
        return try #require(SigningKeyring(json: json, .es256))
    }

    @Test(arguments: [SignatureAlgorithm.es256, .rs256])
    func tokensHaveTypeAndVerify(_ algorithm: SignatureAlgorithm) async throws {
        let instance = try KeyInstance(MemoryStore.still, algorithm: algorithm)
        for type in [IssuedTokenType.access, .id, .hook] {
            let token = try await instance.sign(type)
            let header = try UnverifiedToken(Array(token.utf8)).header
            #expect(header["typ"]?.string == type.rawValue)
            #expect(header["alg"]?.string == algorithm.rawValue)
            if type != .hook { #expect(try instance.verify(token).subject == "alice") }
        }
    }

    @Test func keysAreDistributedBeforeSigning() async throws {
        let instance = try KeyInstance(MemoryStore.still)
        #expect(instance.distributed.isEmpty)
        try await instance.keys.load(at: Self.start)
        let published = try await instance.keys.published()
        #expect(instance.distributed == [published.keys])
        #expect(published.keys.keys.count == 2)
        // Nothing has changed, so nothing is distributed.
        await instance.keys.keepUp(at: Self.start + 60)
        #expect(instance.distributed.count == 1)
    }

    @Test func keyTakesOverByTimeAlone() async throws {
        let store = WatchedStore()
        let instance = try KeyInstance(store)
        let first = try await instance.keyID()
        instance.time = Self.start + Self.day
        let plan = try await instance.keys.rotate(at: instance.time, dryRun: false)
        #expect(plan.activeKeyID == first && plan.takesOverAt == instance.time + 300 && !plan.isUnderWay)
        instance.time = plan.takesOverAt - 1
        #expect(try await instance.keyID() == first)
        store.fail(WatchedStore.Call.allCases)
        instance.time = plan.takesOverAt
        #expect(try await instance.keyID() == plan.nextKeyID)
    }

    @Test func dryRunChangesNothing() async throws {
        let store = MemoryStore.still
        let instance = try KeyInstance(store)
        try await instance.keys.load(at: Self.start)
        let before = try await ring(in: store, instance.sealer)
        let plan = try await instance.keys.rotate(at: Self.start + Self.day, dryRun: true)
        #expect(plan == before.rotatePlan(at: Self.start + Self.day, instance.times))
        #expect(try await ring(in: store, instance.sealer) == before)
        let done = try await instance.keys.rotate(at: Self.start + Self.day, dryRun: false)
        #expect(done == plan)
        let again = try await instance.keys.rotate(at: Self.start + Self.day + 10, dryRun: false)
        #expect(again.isUnderWay && again.takesOverAt == plan.takesOverAt)
    }

    @Test func dueKeysAreRotated() async throws {
        let instance = try KeyInstance(MemoryStore.still, rotateEvery: .seconds(86_400))
        let first = try await instance.keyID()
        var seen: Set<String> = [first]
        for minute in stride(from: 0, through: 3 * 1440 + 60, by: 4) {
            instance.time = Self.start + Double(minute) * 60
            await instance.keys.keepUp(at: instance.time)
            if minute % 60 == 0 { seen.insert(try await instance.keyID()) }
            #expect(try await instance.keys.published().keys.keys.count <= 3)
        }
        #expect(seen.count == 4)
        #expect(try await instance.keys.states(at: instance.time).map(\.stage) == [.previous, .active, .next])
        #expect(!(try await instance.keys.published().keys.keys.contains { $0.keyID == first }))
    }

    @Test func restartKeepsKeys() async throws {
        let store = MemoryStore.still
        let first = try await KeyInstance(store).keyID()
        #expect(try await KeyInstance(store).keyID() == first)
    }

    @Test func eachAlgorithmHasItsRing() async throws {
        let store = MemoryStore.still
        let first = try await KeyInstance(store).keyID()
        #expect(try await KeyInstance(store, algorithm: .rs256).keyID() != first)
        #expect(try await KeyInstance(store).keyID() == first)
    }

    @Test func wrongSealingKeyOpensNothing() async throws {
        let store = MemoryStore.still
        let first = try await KeyInstance(store).keyID()
        let other = try KeyInstance(store, seal: 2)
        let problem = await #expect(throws: SigningProblem.self) { try await other.keys.load(at: Self.start) }
        guard case .store(.sealBroken) = problem else {
            Issue.record("\(String(describing: problem))")
            return
        }
        await #expect(throws: SigningProblem.self) { try await other.sign(.access) }
        await #expect(throws: SigningProblem.self) { try await other.keys.published() }
        #expect(other.distributed.isEmpty)
        // The ring was not replaced.
        #expect(try await KeyInstance(store).keyID() == first)
    }

    @Test func newSealingKeyResealsRing() async throws {
        let store = MemoryStore.still
        let first = try await KeyInstance(store, seal: 1).keyID()
        #expect(try await KeyInstance(store, seal: 2, 1).keyID() == first)
        #expect(try await KeyInstance(store, seal: 2).keyID() == first)
        #expect(await #expect(throws: SigningProblem.self) { try await KeyInstance(store, seal: 1).keyID() } != nil)
    }

    @Test func garbledRingIsNotOverwritten() async throws {
        let store = MemoryStore.still
        let instance = try KeyInstance(store)
        let key = StoreKey(tenant: "chat", kind: "signing-keys", name: "ES256")
        try await store.setSealed(Array("{}".utf8), for: key, lifetime: nil, with: instance.sealer)
        await #expect(throws: SigningProblem.store(.garbled("\(key) is not a key ring"))) {
            try await instance.keys.load(at: Self.start)
        }
        #expect(try await store.sealedValue(for: key, with: instance.sealer) == Array("{}".utf8))
    }

    @Test func storedRingIsSealed() async throws {
        let store = MemoryStore.still
        _ = try await KeyInstance(store).keyID()
        let key = StoreKey(tenant: "chat", kind: "signing-keys", name: "ES256")
        let sealed = try #require(try await store.value(for: key))
        #expect(!String(decoding: sealed, as: UTF8.self).contains("PRIVATE KEY"))
    }
}
