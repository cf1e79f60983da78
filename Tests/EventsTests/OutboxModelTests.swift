import Store
import Synchronization
import Tenants
import TestSupport
import Testing
import Time

@testable import Events

/// Events on two instances that stop at any point, with a receiver and a store that fail: nothing that was kept is
/// lost, and each session's events arrive in order.
@Suite struct OutboxModelTests {
    /// What is left to chance, by a fixed seed.
    private final class Chance: Sendable {
        private let random: Mutex<SplitMix64>

        init(_ seed: UInt64) { random = Mutex(SplitMix64(seed: seed)) }

        func happens(_ probability: Double) -> Bool {
            random.withLock { Double.random(in: 0..<1, using: &$0) } < probability
        }

        func number(below limit: Int) -> Int { random.withLock { Int.random(in: 0..<limit, using: &$0) } }
    }

    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func keptEventsArriveAtLeastOnceAndInOrder(_ seed: UInt64) async {
        let (world, store, chance) = (OutboxWorld(), FailingStore(), Chance(seed))
        var instances = [OutboxFixture(world, store), OutboxFixture(world, store)]
        world.answer { (_) throws(OutboxFailure) in
            if chance.happens(0.2) { throw OutboxFailure(.timeout) }
            return OutboxResponse(status: chance.happens(0.3) ? 500 : 200)
        }
        var kept: [String: [String]] = [:]
        for step in 0..<120 {
            let instance = instances[chance.number(below: 2)]
            switch chance.number(below: 10) {
            case 0...4:
                let session = "s\(chance.number(below: 5))"
                let event = instance.event(.revoked, session, details: ["n": .string("\(step)")])
                await instance.outbox.keep(event)
                kept[session, default: []].append(event.id)
            case 5...7:
                await withDiscardingTaskGroup { group in
                    for instance in instances { group.addTask { await instance.outbox.work() } }
                }
            case 8:
                // In the middle of what it does: its claims run out, and its results are lost.
                let work = Task { await instance.outbox.work() }
                await Task.yield()
                store.cut()
                await work.value
                store.heal()
                // What could not be stored is still in the buffer.
                await instance.outbox.flush()
            default:
                await instance.outbox.flush()
                instances[chance.number(below: 2)] = OutboxFixture(world, store)
            }
            world.pass(Double(chance.number(below: 20)))
        }
        for instance in instances { await instance.outbox.flush() }
        world.answer(200)
        for _ in 0..<200 {
            for instance in instances { await instance.outbox.work() }
            world.pass(60)
        }
        for (session, ids) in kept {
            let received = world.received.filter { $0.member("sid") == session }.compactMap { $0.field("webhook-id") }
            // By the first attempt at each.
            let order = received.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
            #expect(order == ids, "seed \(seed), \(session)")
        }
        #expect(world.overlaps == 0)
        #expect(store.isUp)
    }
}
