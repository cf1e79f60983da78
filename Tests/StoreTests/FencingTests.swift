import Testing

@testable import Store

/// Writing only as long as the lease is held.
@Suite struct FencingTests {
    private let lease = StoreKey(tenant: "chat", kind: "lease", name: "refresh")
    private let key = StoreKey(tenant: "chat", kind: "result", name: "refresh")

    @Test(arguments: StoreFactory.allCases)
    func onlyTheLeaseHolderWrites(factory: StoreFactory) async throws {
        try await factory.run { world in
            let first = try await world.store()
            let second = try await world.store()
            let held = try #require(try await first.acquire(lease, for: .seconds(3600)))
            let bytes = Array(UInt8.min...UInt8.max)
            #expect(try await first.set(bytes, for: key, lifetime: nil, holding: held))
            #expect(try await second.value(for: key) == bytes)
            let forged = Lease(key: lease, holder: "somebody", fencingToken: held.fencingToken)
            #expect(try await !second.set([1], for: key, lifetime: nil, holding: forged))
            try await first.release(held)
            #expect(try await !first.set([2], for: key, lifetime: nil, holding: held))
            #expect(try await first.value(for: key) == bytes)
        }
    }

    @Test(arguments: StoreFactory.allCases)
    func formerHolderDoesNotOverwriteTheNext(factory: StoreFactory) async throws {
        try await factory.run { world in
            let store = try await world.store()
            let late = try #require(try await store.acquire(lease, for: .milliseconds(30)))
            world.clock.advance(0.031)
            #expect(try await eventually { try await !store.set([1], for: key, lifetime: nil, holding: late) })
            try await store.remove(key)
            let next = try #require(try await store.acquire(lease, for: .seconds(3600)))
            #expect(try await store.set([2], for: key, lifetime: nil, holding: next))
            #expect(try await !store.set([3], for: key, lifetime: nil, holding: late))
            #expect(try await store.value(for: key) == [2])
        }
    }

    @Test(arguments: StoreFactory.allCases)
    func valueWrittenUnderALeaseExpires(factory: StoreFactory) async throws {
        try await factory.run { world in
            let store = try await world.store()
            let held = try #require(try await store.acquire(lease, for: .seconds(3600)))
            #expect(try await store.set([1], for: key, lifetime: .milliseconds(30), holding: held))
            world.clock.advance(0.031)
            #expect(try await eventually { try await store.value(for: key) == nil })
        }
    }
}
