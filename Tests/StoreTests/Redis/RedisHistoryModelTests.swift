import TestSupport
import Testing

@testable import Store

/// Thousands of random histories of a Redis and of instances that are cut off from it for a while: whatever is trimmed,
/// deleted or lost meanwhile, every instance knows in the end what was acknowledged.
@Suite struct RedisHistoryModelTests {
    @Test(arguments: [true, false])
    func everyInstanceKnowsWhatWasAcknowledgedWhateverTheStreamLost(countsEntries: Bool) {
        for seed in 0..<3000 as Range<UInt64> {
            var fleet = ModelFleet(seed: seed, countsEntries: countsEntries)
            for _ in 0..<40 { fleet.step() }
            fleet.settle()
            let unknown = fleet.instances.map { fleet.acknowledged.subtracting($0.known.keys).sorted() }
            let isAllKnown = unknown.allSatisfy(\.isEmpty)
            #expect(isAllKnown, "seed \(seed): \(unknown)")
            guard isAllKnown else { return }
        }
    }

    @Test func nothingIsLoadedAnewWhileNothingIsLost() {
        for seed in 0..<300 as Range<UInt64> {
            var fleet = ModelFleet(seed: seed, countsEntries: seed % 2 == 0)
            fleet.settle()
            let loads = fleet.instances.map(\.loads)
            for _ in 0..<40 { fleet.calmStep() }
            fleet.settle()
            #expect(fleet.instances.map(\.loads) == loads, "seed \(seed)")
        }
    }
}

/// A Redis as the scripts see it: a stream, the count beside it, and the hash of records.
private struct ModelRedis {
    struct Entry {
        var id: RedisStreamID
        var item: Int
        var version: RedisStreamID
    }

    var entries: [Entry] = []
    var last = RedisStreamID.zero
    /// Nil: a server that does not count.
    var added: UInt64?
    /// 0: there is none.
    var count: UInt64 = 0
    var records: [Int: RedisStreamID] = [:]
    /// Milliseconds.
    var clock: UInt64

    mutating func add(_ item: Int, noise: UInt64) -> RedisStreamID {
        increment(noise)
        let now = RedisStreamID(milliseconds: clock, sequence: 0)
        let id = now > last ? now : RedisStreamID(milliseconds: last.milliseconds, sequence: last.sequence + 1)
        append(Entry(id: id, item: item, version: id))
        records[item] = id
        return id
    }

    mutating func restore(_ item: Int, _ version: RedisStreamID, noise: UInt64) -> RedisStreamID? {
        guard version > records[item] ?? .zero else { return nil }
        increment(noise)
        let next = RedisStreamID(milliseconds: last.milliseconds, sequence: last.sequence + 1)
        let other = RedisStreamID(milliseconds: version.milliseconds, sequence: 524_288 + noise % 524_288)
        let id = other > last ? other : max(next, RedisStreamID(milliseconds: clock, sequence: 0))
        append(Entry(id: id, item: item, version: version))
        records[item] = version
        return id
    }

    private mutating func append(_ entry: Entry) {
        entries.append(entry)
        last = entry.id
        added? += 1
    }

    mutating func increment(_ noise: UInt64) { count = (count == 0 ? startOfCount(noise) : count) + 1 }

    func startOfCount(_ noise: UInt64) -> UInt64 { clock * 1000 + noise % 1000 }

    mutating func deleteStream() {
        entries = []
        last = .zero
        if added != nil { added = 0 }
    }
}

/// What an instance keeps, and how it follows.
private struct ModelInstance {
    static let page = 5

    var known: [Int: RedisStreamID] = [:]
    var position: RedisPosition?
    var witness = RedisWitness()
    var loads = 0

    mutating func know(_ item: Int, _ version: RedisStreamID) { known[item] = max(version, known[item] ?? .zero) }

    /// One read, or one load with what it puts back.
    ///
    /// - Returns: Whether there was nothing to do.
    mutating func follow(_ redis: inout ModelRedis, noise: UInt64) -> Bool {
        guard let place = position else {
            load(&redis, noise)
            return false
        }
        let read = redis.entries.drop { $0.id <= place.change }.prefix(Self.page)
        let state = RedisStreamState(
            hasPosition: redis.entries.contains { $0.id == place.change },
            hasLatest: redis.entries.contains { [latest = witness.latest] in $0.id == latest },
            last: redis.last,
            tally: RedisTally(count: redis.count, added: redis.added)
        )
        let tally = state.tally(after: place, reading: read.count, latest: witness.latest, page: Self.page)
        guard let tally else {
            position = nil
            return false
        }
        for entry in read { know(entry.item, entry.version) }
        let change = read.last?.id ?? place.change
        witness.saw(change)
        position = RedisPosition(change: change, announcement: .zero, tally: tally)
        return read.isEmpty
    }

    private mutating func load(_ redis: inout ModelRedis, _ noise: UInt64) {
        loads += 1
        witness.loadBegan()
        if redis.count == 0 { redis.count = redis.startOfCount(noise) }
        let tally = RedisTally(count: redis.count, added: redis.added)
        position = RedisPosition(change: redis.last, announcement: .zero, tally: tally)
        for (item, version) in redis.records { know(item, version) }
        witness.loaded(redis.last)
        for (item, version) in known.sorted(by: { $0.key < $1.key }) {
            if let id = redis.restore(item, version, noise: noise) { witness.saw(id) }
        }
    }
}

private struct ModelFleet {
    private var generator: SplitMix64
    private var redis: ModelRedis
    private var items = 0
    private(set) var instances = [ModelInstance(), ModelInstance(), ModelInstance()]
    private(set) var acknowledged: Set<Int> = []

    init(seed: UInt64, countsEntries: Bool) {
        generator = SplitMix64(seed: seed)
        redis = ModelRedis(added: countsEntries ? 0 : nil, clock: 1_000_000)
    }

    private mutating func any(_ count: Int) -> Int { Int(generator.next() % UInt64(count)) }

    mutating func step() {
        redis.clock += UInt64(any(3)) * 100
        switch any(14) {
        case 0...3: revoke(any(3))
        case 4...6: _ = instances[any(3)].follow(&redis, noise: generator.next())
        case 7: redis.entries.removeFirst(any(redis.entries.count + 1))
        case 8, 9: if !redis.entries.isEmpty { redis.entries.remove(at: any(redis.entries.count)) }
        case 10: redis.deleteStream()
        case 11:
            redis.deleteStream()
            redis.records = [:]
            redis.count = 0
        default: restart(any(3))
        }
    }

    /// What every day has: changes, reads, and a look from time to time.
    mutating func calmStep() {
        redis.clock += 100
        if any(2) == 0 { revoke(any(3)) } else { _ = instances[any(3)].follow(&redis, noise: generator.next()) }
    }

    private mutating func revoke(_ instance: Int) {
        items += 1
        let id = redis.add(items, noise: generator.next())
        instances[instance].witness.saw(id)
        instances[instance].know(items, id)
        acknowledged.insert(items)
    }

    /// It forgets all, but not before the store has it.
    private mutating func restart(_ instance: Int) {
        settle()
        instances[instance] = ModelInstance()
    }

    /// All instances follow until nothing happens any more.
    mutating func settle() {
        for _ in 0..<1000 {
            var isQuiet = true
            for index in instances.indices where !instances[index].follow(&redis, noise: generator.next()) {
                isQuiet = false
            }
            if isQuiet { return }
        }
        Issue.record("the instances never come to rest")
    }
}
