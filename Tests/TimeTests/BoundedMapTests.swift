import TestSupport
import Testing
import Time

@Suite struct BoundedMapTests {
    /// What it is to be like, without any cleverness: the oldest first.
    private struct Model {
        var entries: [(key: Int, value: Int, until: MonotonicTime)] = []
        let capacity: Int

        mutating func insert(_ value: Int, for key: Int, until: MonotonicTime) {
            entries.removeAll { $0.key == key }
            entries.append((key, value, until))
        }

        func value(for key: Int, at now: MonotonicTime) -> Int? {
            entries.first { $0.key == key && now < $0.until }?.value
        }

        /// The rule of eviction: expired ones at the front, and the oldest of too many.
        mutating func forget(at now: MonotonicTime) {
            while let first = entries.first, entries.count > capacity || now >= first.until { entries.removeFirst() }
        }
    }

    @Test(arguments: [UInt64](1...20))
    func behavesLikeAListThatForgetsTheOldest(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let capacity = Int.random(in: 1...12, using: &random)
        var map = BoundedMap<Int, Int, MonotonicTime>(capacity: capacity)
        var model = Model(capacity: capacity)
        var now = MonotonicTime(nanoseconds: 0)
        for step in 0..<3000 {
            now = now + UInt64.random(in: 0...3, using: &random)
            let key = Int.random(in: 0..<20, using: &random)
            switch Int.random(in: 0..<12, using: &random) {
            case 0:
                map.remove(key)
                model.entries.removeAll { $0.key == key }
            case 1:
                map.update(key) { $0 += 1 }
                for index in model.entries.indices where model.entries[index].key == key {
                    model.entries[index].value += 1
                }
            case 2 where step % 50 == 0:
                map.removeAll()
                model.entries = []
            case 3:
                map.updateAll { $0 -= 1 }
                for index in model.entries.indices { model.entries[index].value -= 1 }
            default:
                let until = now + UInt64.random(in: 0...60, using: &random)
                map.insert(step, for: key, until: until, at: now)
                model.insert(step, for: key, until: until)
                model.forget(at: now)
            }
            #expect(map.count == model.entries.count && map.count <= capacity)
            for key in 0..<20 { #expect(map.value(for: key, at: now) == model.value(for: key, at: now)) }
            let living = model.entries.filter { now < $0.until }
            #expect(map.all(at: now).map(\.key).sorted() == living.map(\.key).sorted())
        }
    }

    @Test func withoutTimesOnlyTooManyAreForgotten() {
        var map = BoundedMap<Int, String, Never>(capacity: 2)
        map.insert("a", for: 1)
        map.insert("b", for: 2)
        map.insert("a again", for: 1)
        map.insert("c", for: 3)
        #expect([1, 2, 3].map { map[$0] } == ["a again", nil, "c"])
        map.remove(3)
        map.insert("d", for: 4)
        #expect([1, 3, 4].map { map[$0] } == ["a again", nil, "d"])
    }
}
