import Testing

@testable import Store

@Suite struct LeaseTests {
    private let key = StoreKey(tenant: "chat", kind: "lease", name: "refresh")

    @Test(arguments: StoreFactory.allCases)
    func aLeaseHasOneHolder(factory: StoreFactory) async throws {
        try await factory.run { world in
            let first = try await world.store()
            let second = try await world.store()
            let lease = try #require(try await first.acquire(key, for: .seconds(3600)))
            #expect(try await second.acquire(key, for: .seconds(3600)) == nil)
            #expect(try await first.acquire(key, for: .seconds(3600)) == nil)
            let other = StoreKey(tenant: "chat", kind: "lease", name: "other")
            #expect(try await second.acquire(other, for: .seconds(3600)) != nil)
            try await first.release(lease)
            let next = try #require(try await second.acquire(key, for: .seconds(3600)))
            #expect(next.fencingToken > lease.fencingToken)
            #expect(next.holder != lease.holder)
        }
    }

    @Test(arguments: StoreFactory.allCases)
    func oneOfManyConcurrentRequestsGetsTheLease(factory: StoreFactory) async throws {
        try await factory.run { world in
            let stores = [try await world.store(), try await world.store()]
            let leases = try await withThrowingTaskGroup(of: Lease?.self) { group in
                for index in 0..<30 {
                    group.addTask { [key] in try await stores[index % 2].acquire(key, for: .seconds(3600)) }
                }
                return try await group.reduce(into: [Lease]()) { if let lease = $1 { $0.append(lease) } }
            }
            #expect(leases.count == 1)
        }
    }

    @Test(arguments: StoreFactory.allCases)
    func expiredLeaseIsTakenOver(factory: StoreFactory) async throws {
        try await factory.run { world in
            let store = try await world.store()
            let late = try #require(try await store.acquire(key, for: .milliseconds(30)))
            world.clock.advance(0.031)
            var taken: Lease?
            _ = try await eventually {
                taken = try await store.acquire(key, for: .seconds(3600))
                return taken != nil
            }
            let next = try #require(taken)
            #expect(next.fencingToken > late.fencingToken)
            #expect(try await !store.renew(late, for: .seconds(3600)))
            try await store.release(late)
            #expect(try await store.acquire(key, for: .seconds(3600)) == nil)
            #expect(try await store.renew(next, for: .seconds(3600)))
        }
    }

    @Test(arguments: StoreFactory.allCases)
    func aRenewedLeaseLastsFromThenOn(factory: StoreFactory) async throws {
        try await factory.run { world in
            let store = try await world.store()
            let lease = try #require(try await store.acquire(key, for: .seconds(3600)))
            #expect(try await store.renew(lease, for: .milliseconds(40)))
            world.clock.advance(0.041)
            #expect(try await eventually { try await store.acquire(key, for: .seconds(3600)) != nil })
            #expect(try await !store.renew(lease, for: .seconds(3600)))
        }
    }

    @Test(arguments: StoreFactory.allCases)
    func fencingTokensGrowAcrossKeysAndHolders(factory: StoreFactory) async throws {
        try await factory.run { world in
            let stores = [try await world.store(), try await world.store()]
            var last: UInt64 = 0
            for index in 0..<40 {
                let name = StoreKey(tenant: nil, kind: "lease", name: "\(index % 3)")
                let lease = try #require(try await stores[index % 2].acquire(name, for: .seconds(3600)))
                #expect(lease.fencingToken > last)
                last = lease.fencingToken
                try await stores[index % 2].release(lease)
            }
        }
    }
}
