import Testing
import Time

@testable import Store

/// Each proof is used once, at any instance.
@Suite struct ProofMemoryTests {
    private let key = [UInt8](repeating: 1, count: 32)

    @Test(arguments: StoreFactory.allCases)
    func aProofIsUsedOnceAtAnyInstance(factory: StoreFactory) async throws {
        try await factory.run { world in
            let now = world.clock.now
            let here = ProofMemory(store: try await world.store(), tenant: "app")
            let elsewhere = ProofMemory(store: try await world.store(), tenant: "app")
            #expect(try await here.isFirstUse(keyThumbprint: key, id: "a", until: now + 60, at: now))
            #expect(try await !here.isFirstUse(keyThumbprint: key, id: "a", until: now + 60, at: now))
            #expect(try await !elsewhere.isFirstUse(keyThumbprint: key, id: "a", until: now + 60, at: now))
            #expect(try await elsewhere.isFirstUse(keyThumbprint: key, id: "b", until: now + 60, at: now))
            let other = [UInt8](repeating: 2, count: 32)
            #expect(try await elsewhere.isFirstUse(keyThumbprint: other, id: "a", until: now + 60, at: now))
            let neighbour = ProofMemory(store: try await world.store(), tenant: "shop")
            #expect(try await neighbour.isFirstUse(keyThumbprint: key, id: "a", until: now + 60, at: now))
        }
    }

    @Test func proofIsRememberedUntilNoInstanceAcceptsIt() async throws {
        let clock = ManualClock()
        let memory = ProofMemory(store: MemoryStore(clock: clock.reading))
        let start = clock.now
        #expect(try await memory.isFirstUse(keyThumbprint: key, id: "a", until: start + 60, at: start))
        clock.advance(89)
        #expect(try await !memory.isFirstUse(keyThumbprint: key, id: "a", until: start + 60, at: clock.now))
        clock.advance(2)
        #expect(try await memory.isFirstUse(keyThumbprint: key, id: "a", until: start + 60, at: clock.now))
    }

    @Test func oneOfManyConcurrentUsesIsTheFirst() async throws {
        let memory = ProofMemory(store: MemoryStore())
        let firsts = try await withThrowingTaskGroup(of: Bool.self) { tasks in
            for _ in 0..<50 {
                tasks.addTask { [key] in try await memory.isFirstUse(keyThumbprint: key, id: "a", until: 60, at: 0) }
            }
            return try await tasks.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(firsts == 1)
    }

    @Test func derivedKeysDifferByPurposeAndBySealingKey() throws {
        let one = try SealingKeys("MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=")
        let rotated = try SealingKeys(
            "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=,ZmVkY2JhOTg3NjU0MzIxMGZlZGNiYTk4NzY1NDMyMTA="
        )
        let other = try SealingKeys("ZmVkY2JhOTg3NjU0MzIxMGZlZGNiYTk4NzY1NDMyMTA=")
        let key = one.derivedKey(for: "nonces")
        #expect(key.count == 32)
        #expect(key == rotated.derivedKey(for: "nonces"))
        #expect(key != one.derivedKey(for: "others"))
        #expect(key != other.derivedKey(for: "nonces"))
        #expect(key != Array("0123456789abcdef0123456789abcdef".utf8))
    }
}
