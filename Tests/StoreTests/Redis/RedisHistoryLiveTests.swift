import Redis
import TestSupport
import Testing

@testable import Store

/// Random histories of a real server, on which instances follow now and then: although entries are trimmed,
/// deleted and lost, every instance has all acknowledged changes in the end.
@Suite(.serialized, .timeLimit(.minutes(10))) struct RedisHistoryLiveTests {
    @Test(arguments: 0..<6 as Range<UInt64>)
    func everyInstanceHasAcknowledgedChangesAfterServerLosses(seed: UInt64) async throws {
        try await StoreFactory.redis.run { world in
            var fleet = LiveFleet(world, seed: seed)
            try await fleet.begin()
            for _ in 0..<40 { try await fleet.step() }
            try await fleet.settle()
            for instance in fleet.instances {
                #expect(fleet.acknowledged.subtracting(instance.known.keys).isEmpty, "seed \(seed)")
            }
        }
    }
}

/// Follows as the gateway does: it restores changes that it has and the store has lost.
private struct LiveInstance {
    let store: any Store
    var known: [RevocationDigest: RevocationRecord] = [:]
    var position: StorePosition?

    mutating func know(_ records: some Sequence<RevocationRecord>) {
        for record in records where record.version > known[record.digest]?.version ?? 0 {
            known[record.digest] = record
        }
    }

    /// - Returns: Whether there was nothing to do.
    mutating func follow() async -> Bool {
        do {
            guard let place = position else {
                let (records, position) = try await store.load(["chat"])
                let lost = known.values.filter { $0.version > records[$0.digest]?.version ?? 0 }
                know(records.values)
                try await store.restore(lost)
                self.position = position
                return false
            }
            guard case .changes(let records, _, let next) = try await store.changes(after: place, waiting: .zero) else {
                position = nil
                return false
            }
            know(records)
            position = next
            return records.isEmpty
        } catch {
            // The server is starting.
            return false
        }
    }
}

private struct LiveFleet {
    private let world: StoreWorld
    private var generator: SplitMix64
    private var items = 0
    private(set) var instances: [LiveInstance] = []
    private(set) var acknowledged: Set<RevocationDigest> = []

    init(_ world: StoreWorld, seed: UInt64) {
        self.world = world
        generator = SplitMix64(seed: seed)
    }

    /// A server that stops then restarts with the data that it has.
    private func save() async throws { _ = try await withRedis(world.server, [RedisCommand("SAVE")]) }

    mutating func begin() async throws {
        for _ in 0..<3 { instances.append(LiveInstance(store: try await world.store())) }
    }

    private mutating func any(_ count: Int) -> Int { Int(generator.next() % UInt64(count)) }

    mutating func step() async throws {
        let place = any(3)
        switch any(16) {
        case 0...4:
            items += 1
            guard let records = try? await instances[place].store.revoke([revocation("\(items)")]) else { return }
            instances[place].know(records)
            acknowledged.formUnion(records.map(\.digest))
        case 5...8: _ = await instances[place].follow()
        case 9: try await send(RedisCommand("XTRIM", "gatehouse:changes", "MAXLEN", any(3)))
        case 10, 11: try await deleteAnEntry()
        case 12: try await send(RedisCommand("DEL", "gatehouse:changes"))
        case 13: try await send(RedisCommand("FLUSHALL"))
        case 14:
            // Or it restarts with its last snapshot, and accepts other changes from then on.
            if any(2) == 0 { try await save() }
            try world.server?.restart()
        default:
            // What is dropped here is in the store, and stays there.
            try await settle()
            try await save()
            instances[place].known = [:]
            instances[place].position = nil
        }
    }

    private func send(_ command: RedisCommand) async throws { _ = try await withRedis(world.server, [command]) }

    private mutating func deleteAnEntry() async throws {
        let reply = try await withRedis(world.server, [RedisCommand("XRANGE", "gatehouse:changes", "-", "+")])[0]
        guard let entries = reply.array, !entries.isEmpty else { return }
        guard let id = entries[any(entries.count)].array?.first?.bytes else { return }
        try await send(RedisCommand("XDEL", "gatehouse:changes", String(decoding: id, as: UTF8.self)))
    }

    /// All instances follow until there are no more changes.
    mutating func settle() async throws {
        let isAtRest = try await eventually {
            var isQuiet = true
            for index in instances.indices {
                let wasQuiet = await instances[index].follow()
                isQuiet = isQuiet && wasQuiet
            }
            return isQuiet
        }
        #expect(isAtRest)
    }
}
