import TestSupport
import Testing
import Time

@testable import Store

/// Thousands of random histories of a Redis and of instances that are disconnected for a while: although entries are
/// trimmed, deleted and lost, in a failover too, every instance has all acknowledged changes in the end.
@Suite struct RedisHistoryModelTests {
    @Test(arguments: [true, false])
    func everyInstanceHasAcknowledgedChangesAfterStreamLosses(countsEntries: Bool) {
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

    @Test func noReloadWithoutLosses() {
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
    /// Two servers never give changes the same ID.
    var clock: UInt64
    /// Which server this is. Another server means another connection.
    var server: UInt64 = 0

    private var milliseconds: UInt64 { clock * 64 + server }

    /// - Parameter isCounted: False for a gateway of a version without the count.
    mutating func add(_ item: Int, noise: UInt64, isCounted: Bool = true) -> RedisStreamID {
        if isCounted { increment(noise) }
        let now = RedisStreamID(milliseconds: milliseconds, sequence: 0)
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
        let id = other > last ? other : max(next, RedisStreamID(milliseconds: milliseconds, sequence: 0))
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
        // None is deleted twice in a millisecond.
        clock += 1
        entries = []
        last = .zero
        if added != nil { added = 0 }
    }
}

/// The state of an instance, and how it follows.
private struct ModelInstance {
    static let page = 5

    var known: [Int: RedisStreamID] = [:]
    var position: RedisPosition?
    var witness = RedisWitness()
    var loads = 0

    mutating func know(_ item: Int, _ version: RedisStreamID) { known[item] = max(version, known[item] ?? .zero) }

    /// One read, or one load with the changes that it restores.
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
            hasAcknowledged: witness.unread.allSatisfy { id in redis.entries.contains { $0.id == id } },
            last: redis.last,
            tally: RedisChangeCount(count: redis.count, added: redis.added)
        )
        let tally = state.tally(after: place, reading: read.count, page: Self.page)
        guard let tally, !witness.needsLoad else {
            position = nil
            return false
        }
        for entry in read { know(entry.item, entry.version) }
        let change = read.last?.id ?? place.change
        witness.read(upTo: change, having: witness.unread)
        position = RedisPosition(change: change, announcement: .zero, tally: tally)
        return read.isEmpty
    }

    private mutating func load(_ redis: inout ModelRedis, _ noise: UInt64) {
        loads += 1
        witness.loadBegan()
        if redis.count == 0 { redis.count = redis.startOfCount(noise) }
        let tally = RedisChangeCount(count: redis.count, added: redis.added)
        position = RedisPosition(change: redis.entries.last?.id ?? redis.last, announcement: .zero, tally: tally)
        for (item, version) in redis.records { know(item, version) }
        witness.loaded()
        for (item, version) in known.sorted(by: { $0.key < $1.key }) {
            if let id = redis.restore(item, version, noise: noise) { witness.saw(id, on: redis.server) }
        }
    }
}

private struct ModelFleet {
    private var generator: SplitMix64
    private var redis: ModelRedis
    /// The server that takes over when this one fails: it has an earlier state of this one.
    private var replica: ModelRedis
    private var servers: UInt64 = 1
    /// Whether some gateway adds changes without counting them. Their stream is deleted with the count or not at all:
    /// where it alone is, and such a gateway is the first to add to the next, nothing distinguishes the two.
    private let hasOlderGateway: Bool
    private var items = 0
    private(set) var instances = [ModelInstance(), ModelInstance(), ModelInstance()]
    private(set) var acknowledged: Set<Int> = []

    init(seed: UInt64, countsEntries: Bool) {
        generator = SplitMix64(seed: seed)
        redis = ModelRedis(added: countsEntries ? 0 : nil, clock: 1_000_000)
        replica = redis
        hasOlderGateway = countsEntries && seed % 2 == 0
    }

    private mutating func any(_ count: Int) -> Int { Int(generator.next() % UInt64(count)) }

    mutating func step() {
        redis.clock += UInt64(any(3)) * 100
        switch any(17) {
        case 0...3: revoke(any(3))
        case 4...6: _ = instances[any(3)].follow(&redis, noise: generator.next())
        case 7: redis.entries.removeFirst(any(redis.entries.count + 1))
        case 8, 9: if !redis.entries.isEmpty { redis.entries.remove(at: any(redis.entries.count)) }
        case 10:
            if hasOlderGateway { revoke(any(3), isCounted: false) } else { redis.deleteStream() }
        case 11:
            redis.deleteStream()
            redis.records = [:]
            redis.count = 0
        case 12: replica = redis
        case 13, 14: failOver()
        default: restart(any(3))
        }
    }

    /// It takes longer than the clocks of the two differ. What only the old master had is lost, as it copies the data
    /// of the new one.
    private mutating func failOver() {
        let now = redis.clock
        redis = replica
        redis.clock = now + 1
        redis.server = servers
        servers += 1
        if any(2) == 0 { replica = redis }
    }

    /// Normal operation: changes, reads, and a load from time to time.
    mutating func calmStep() {
        redis.clock += 100
        if any(2) == 0 { revoke(any(3)) } else { _ = instances[any(3)].follow(&redis, noise: generator.next()) }
    }

    private mutating func revoke(_ instance: Int, isCounted: Bool = true) {
        items += 1
        let id = redis.add(items, noise: generator.next(), isCounted: isCounted)
        instances[instance].witness.saw(id, on: redis.server)
        instances[instance].know(items, id)
        acknowledged.insert(items)
    }

    /// It drops everything, but not before the store and its replica have it.
    private mutating func restart(_ instance: Int) {
        settle()
        replica = redis
        instances[instance] = ModelInstance()
    }

    /// All instances follow until there are no more changes.
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
