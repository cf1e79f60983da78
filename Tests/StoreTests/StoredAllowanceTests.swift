import Testing
import Time

@testable import Store

@Suite struct StoredAllowanceTests {
    private static func use(_ name: String, _ count: Int, interval: Int64 = 1_000_000_000) -> AllowanceUse {
        AllowanceUse(
            key: StoreKey(tenant: "chat", kind: "limit", hashing: name.utf8),
            count: count,
            interval: interval,
            most: 3_600_000_000_000
        )
    }

    /// The server's own clock goes on between two calls.
    private static func isNearly(_ time: Int64?, _ expected: Int64) -> Bool {
        guard let time else { return false }
        return time <= expected && time > expected - 60_000_000
    }

    @Test(arguments: StoreFactory.allCases)
    func usesAddUpAcrossInstances(factory: StoreFactory) async throws {
        try await factory.run { world in
            let (first, second) = (try await world.store(), try await world.store())
            let alone = try await first.use([Self.use("a", 2)], timeout: .seconds(5))
            #expect(alone.count == 1 && Self.isNearly(alone.first, 2_000_000_000))
            let both = try await second.use([Self.use("a", 3), Self.use("b", 1)], timeout: .seconds(5))
            #expect(both.count == 2)
            #expect(Self.isNearly(both.first, 5_000_000_000))
            #expect(Self.isNearly(both.last, 1_000_000_000))
        }
    }

    @Test(arguments: StoreFactory.allCases)
    func readingUsesNothing(factory: StoreFactory) async throws {
        try await factory.runStore { store async throws in
            #expect(try await store.use([Self.use("a", 0)], timeout: .seconds(5)) == [0])
            _ = try await store.use([Self.use("a", 2)], timeout: .seconds(5))
            for _ in 0..<3 {
                let asked = try await store.use([Self.use("a", 0)], timeout: .seconds(5))
                #expect(Self.isNearly(asked.first, 2_000_000_000))
            }
            #expect(try await store.use([], timeout: .seconds(5)) == [])
        }
    }

    @Test(arguments: StoreFactory.allCases)
    func fullAllowanceIsDropped(factory: StoreFactory) async throws {
        try await factory.run { world in
            let store = try await world.store()
            _ = try await store.use([Self.use("a", 3, interval: 10_000)], timeout: .seconds(5))
            world.clock.advance(0.031)
            #expect(try await eventually { try await store.use([Self.use("a", 0)], timeout: .seconds(5)) == [0] })
        }
    }

    @Test(arguments: StoreFactory.allCases)
    func impossibleTimesAreIgnored(factory: StoreFactory) async throws {
        try await factory.runStore { store async throws in
            _ = try await store.use([Self.use("a", 1_000_000)], timeout: .seconds(5))
            let asked = try await store.use([Self.use("a", 1_000_000)], timeout: .seconds(5))
            #expect(Self.isNearly(asked.first, 3_600_000_000_000))
        }
    }

    @Test(arguments: StoreFactory.allCases)
    func manyKeysAreReturnedInOrder(factory: StoreFactory) async throws {
        try await factory.runStore { store async throws in
            let uses = (1...700).map { Self.use("\($0)", $0) }
            let times = try await store.use(uses, timeout: .seconds(5))
            #expect(times.count == 700)
            for (count, time) in zip(1..., times) { #expect(Self.isNearly(time, Int64(count) * 1_000_000_000)) }
        }
    }

    @Test(arguments: StoreFactory.allCases)
    func concurrentUsesAreAllCounted(factory: StoreFactory) async throws {
        try await factory.run { world in
            let stores = [try await world.store(), try await world.store()]
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<40 {
                    group.addTask { _ = try await stores[index % 2].use([Self.use("a", 1)], timeout: .seconds(5)) }
                }
                try await group.waitForAll()
            }
            let asked = try await stores[0].use([Self.use("a", 0)], timeout: .seconds(5))
            #expect(Self.isNearly(asked.first, 40_000_000_000))
        }
    }

    @Test(arguments: [StoreFactory.embedded, .redis])
    func invalidTimesAreIgnored(factory: StoreFactory) async throws {
        try await factory.runStore { store async throws in
            try await store.set(Array("nonsense".utf8), for: Self.use("a", 1).key, lifetime: nil)
            let times = try await store.use([Self.use("a", 1)], timeout: .seconds(5))
            #expect(Self.isNearly(times.first, 1_000_000_000))
        }
    }

    /// A key that is further ahead than its limit allows was written before the clock was set back.
    @Test(arguments: [StoreFactory.embedded, .redis])
    func timeBeforeAClockSetbackIsIgnored(factory: StoreFactory) async throws {
        try await factory.runStore { store async throws in
            try await store.set(Array("8000000000000000".utf8), for: Self.use("a", 1).key, lifetime: nil)
            #expect(try await store.use([Self.use("a", 0)], timeout: .seconds(5)) == [0])
            let times = try await store.use([Self.use("a", 2)], timeout: .seconds(5))
            #expect(Self.isNearly(times.first, 2_000_000_000))
        }
    }

    @Test func memoryDropsTimesBeforeAClockSetback() {
        var spent = SpentAllowances()
        let (now, day) = (1_800_000_000_000_000 as Int64, 86_400_000_000 as Int64)
        _ = spent.use(Self.use("a", 3600), now: now)
        let sooner = spent.use(Self.use("a", 0), now: now - 1_000_000)
        #expect(sooner == 3_600_000_000_000)
        let later = spent.use(Self.use("a", 1), now: now - day)
        #expect(later == 1_000_000_000)
    }

    @Test func memoryIsBounded() {
        var spent = SpentAllowances()
        for name in 0..<20_000 { _ = spent.use(Self.use("\(name)", 1, interval: 10), now: Int64(name) * 100) }
        #expect(spent.count <= 1024)
        for name in 0..<3000 { _ = spent.use(Self.use("\(name)", 1), now: 3_000_000) }
        #expect(spent.count <= 4100)
        #expect(spent.use(Self.use("2999", 0), now: 3_000_000) == 1_000_000_000)
    }
}
