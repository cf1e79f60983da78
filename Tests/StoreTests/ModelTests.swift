import TestSupport
import Testing
import Time

@testable import Store

/// Random operations, checked against a dictionary after each.
@Suite struct ModelTests {
    private struct Model {
        var records: [RevocationDigest: RevocationRecord] = [:]
        var values: [StoreKey: [UInt8]] = [:]
        var expected: [RevocationRecord] = []
    }

    @Test(arguments: StoreFactory.allCases, [1, 2, 3] as [UInt64])
    func storeAgreesWithADictionary(factory: StoreFactory, seed: UInt64) async throws {
        try await factory.run { world in
            let stores = [try await world.store(), try await world.store()]
            var generator = SplitMix64(seed: seed)
            var model = Model()
            let (_, start) = try await stores[0].load(["chat"])
            for _ in 0..<250 {
                let store = stores[Int(generator.next() % 2)]
                try await step(store, world, &model, &generator)
            }
            for store in stores {
                #expect(try await store.load(["chat"]).records == model.records)
                #expect(try await store.changes(after: start) == model.expected)
            }
            #expect(try await changesGiveTheRecords(stores[1], start) == model.records)
        }
    }

    /// The final state of a reader that has followed from the start.
    private func changesGiveTheRecords(
        _ store: any Store,
        _ start: StorePosition
    ) async throws -> [RevocationDigest: RevocationRecord] {
        var records: [RevocationDigest: RevocationRecord] = [:]
        for record in try await store.changes(after: start) ?? [] {
            if let known = records[record.digest], known.version >= record.version { continue }
            records[record.digest] = record
        }
        return records
    }

    private func step(
        _ store: any Store,
        _ world: StoreWorld,
        _ model: inout Model,
        _ generator: inout SplitMix64
    ) async throws {
        let some = (0..<(1 + generator.next() % 4)).map { _ in
            let revokedAt = UnixTime(Double(generator.next() % 1_000_000) / 7)
            let isForGood = generator.next() % 3 == 0
            let expires = isForGood ? .distantFuture : world.clock.now + Double(generator.next() % 400) / 7
            return revocation("\(generator.next() % 30)", at: revokedAt, expires: expires)
        }
        let key = StoreKey(tenant: "chat", kind: "value", name: "\(generator.next() % 5)")
        let bytes = generator.bytes(Int(generator.next() % 40))
        switch generator.next() % 8 {
        case 0, 1:
            let records = try await store.revoke(some)
            for (asked, record) in zip(some, records) {
                #expect(record == expected(asked, record.version, model, world))
                change(record, &model)
            }
            #expect(records.count == some.count)
        case 2, 3:
            var seen: Set<RevocationDigest> = []
            let withdrawn = try await store.withdraw(some.map(\.target), tenant: "chat")
            let inForce = some.map { RevocationDigest($0.target) }
                .filter { seen.insert($0).inserted && isInForce(model.records[$0], world) }
            #expect(withdrawn.map(\.digest) == inForce)
            for record in withdrawn { change(record, &model) }
        case 4:
            let version = (model.records.values.map(\.version).max() ?? 1 << 30) &+ generator.next() % 3 &- 1
            let record = RevocationRecord(some[0], version: version)
            try await store.restore([record])
            let isNewer = (model.records[record.digest]?.version ?? 0) < version
            if isNewer, record.expiresAt > world.clock.now { change(record, &model) }
        case 5:
            try await store.set(bytes, for: key, lifetime: nil)
            model.values[key] = bytes
        case 6:
            let expected = generator.next() % 2 == 0 ? model.values[key] : bytes
            let isReplaced = try await store.replace(expected, with: bytes, for: key)
            #expect(isReplaced == (expected == model.values[key]))
            if isReplaced { model.values[key] = bytes }
        default:
            try await store.remove(key)
            model.values[key] = nil
        }
        #expect(try await store.value(for: key) == model.values[key])
        let listed = try await store.revocations(tenant: "chat", cursor: nil, limit: 1000).records
        #expect(Set(listed.map(\.digest)) == Set(model.records.values.filter { isInForce($0, world) }.map(\.digest)))
        world.clock.advance(0.5)
    }

    private func isInForce(_ record: RevocationRecord?, _ world: StoreWorld) -> Bool {
        guard let record else { return false }
        return !record.isWithdrawn && record.expiresAt > world.clock.now
    }

    /// The record after this revocation: no weaker than the one in force.
    private func expected(
        _ asked: Revocation,
        _ version: UInt64,
        _ model: Model,
        _ world: StoreWorld
    ) -> RevocationRecord {
        var record = RevocationRecord(asked, version: version)
        if let known = model.records[record.digest], isInForce(known, world) {
            if known.revokedAt > record.revokedAt { record.revokedAt = known.revokedAt }
            if known.expiresAt > record.expiresAt { record.expiresAt = known.expiresAt }
        }
        return record
    }

    private func change(_ record: RevocationRecord, _ model: inout Model) {
        model.records[record.digest] = record
        model.expected.append(record)
    }
}
