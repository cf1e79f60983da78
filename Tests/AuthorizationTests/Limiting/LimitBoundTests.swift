import Store
import Synchronization
import Tenants
import TestSupport
import Testing
import Time

@testable import Authorization

/// Instances with clocks and tables of their own before one store, in simulated time: messages take as long as chance
/// will have it.
@Suite struct LimitBoundTests {
    private final class Instance {
        let table = ArrivalTable(sets: 8)
        var untold: UInt64 = 0
        /// What is on its way to the store or back.
        var call: (count: UInt64, reachesStoreAt: UInt64, returnsAt: UInt64, answer: UInt64?)?
    }

    private struct World {
        var limit: RateLimit
        var instances: Int
        var slowest: UInt64
    }

    @Test func fleetNeverExceedsTheBound() async throws {
        var random = SplitMix64(seed: 2026)
        for _ in 0..<60 {
            let burst = Int.random(in: 2...30, using: &random)
            let limit = AllowanceTests.limit(
                .random(in: 1...40, using: &random),
                .seconds(1),
                burst: burst,
                isShared: true,
                ahead: .random(in: 1...burst, using: &random)
            )
            let world = World(
                limit: limit,
                instances: .random(in: 1...5, using: &random),
                slowest: .random(in: 1_000...400_000, using: &random)
            )
            let admitted = try await Self.run(world, &random)
            let allowance = Allowance(limit)
            let bound = Double(limit.burst + (world.instances - 1) * limit.ahead)
            let worst = LimitBound.worst(admitted, interval: allowance.interval)
            #expect(worst <= bound, "\(world)")
            #expect(admitted.count > limit.burst)
        }
    }

    private static func run(_ world: World, _ random: inout SplitMix64) async throws -> [UInt64] {
        let allowance = Allowance(world.limit)
        let key = LimitKey(LimitSubject("caller", of: "https://issuer.test"), salt: LimitSalt())
        let storeTime = Mutex(UnixTime(0))
        let store = MemoryStore(clock: { storeTime.withLock { $0 } })
        let instances = (0..<world.instances).map { _ in Instance() }
        var admitted: [UInt64] = []
        var now: UInt64 = 1_800_000_000_000_000
        let end = now + 4_000_000
        while now < end {
            now += UInt64.random(in: 1...max(2, allowance.interval / 4), using: &random)
            // The store's clock is another one.
            storeTime.withLock { $0 = UnixTime(Double(now) / 1_000_000 - 12_345) }
            for instance in instances {
                try await deliver(instance, key, allowance, store, now)
                begin(instance, world, now, &random)
            }
            let instance = instances[Int.random(in: 0..<instances.count, using: &random)]
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                guard instance.table.take(key, allowance, isReserved: true, at: now) == .taken else { break }
                instance.untold += 1
                admitted.append(now)
            }
        }
        return admitted
    }

    private static func begin(_ instance: Instance, _ world: World, _ now: UInt64, _ random: inout SplitMix64) {
        guard instance.call == nil, instance.untold > 0 else { return }
        let reaches = now + UInt64.random(in: 0...world.slowest, using: &random)
        let returns = reaches + UInt64.random(in: 0...world.slowest, using: &random)
        instance.call = (instance.untold, reaches, returns, nil)
        instance.untold = 0
    }

    private static func deliver(
        _ instance: Instance,
        _ key: LimitKey,
        _ allowance: Allowance,
        _ store: MemoryStore,
        _ now: UInt64
    ) async throws {
        guard var call = instance.call else { return }
        if call.answer == nil, now >= call.reachesStoreAt {
            let use = AllowanceUse(
                key: StoreKey(tenant: "app", kind: "limit", name: "x"),
                count: Int(call.count),
                interval: Int64(allowance.interval),
                most: Int64(allowance.most)
            )
            call.answer = UInt64(try await store.use([use], timeout: .seconds(1))[0])
            instance.call = call
        }
        if let answer = call.answer, now >= call.returnsAt {
            instance.table.settle(key, allowance, count: call.count, wholeIn: answer, at: now)
            instance.call = nil
        }
    }
}
