import TestSupport
import Testing

@testable import Store

/// Entries of collections, in every kind of store.
@Suite struct CollectionTests {
    private let fruit = StoreCollection("fruit")
    private let roots = StoreCollection("roots")

    @Test(arguments: StoreFactory.allCases)
    func entriesAreListedInOrderOfTheirBytes(factory: StoreFactory) async throws {
        try await factory.runStore { store async throws in
            let names = ["b", "a", "é", "B", "a-1", "a/1", "10", "9"]
            for name in names {
                #expect(try await store.change([EntryChange(fruit, name, to: Array(name.utf8))]) == .done)
            }
            let sorted = names.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
            var listed: [String] = []
            var last: String?
            while true {
                let page = try await store.entries(of: fruit, after: last, limit: 3)
                #expect(page.count <= 3)
                guard let next = page.last?.name else { break }
                listed += page.map(\.name)
                #expect(page.allSatisfy { $0.value == Array($0.name.utf8) })
                last = next
            }
            #expect(listed == sorted)
            #expect(try await store.entries(["9", "none", "a"], of: fruit).map(\.name) == ["9", "a"])
            #expect(try await store.entries(of: roots, after: nil, limit: 10) == [])
        }
    }

    @Test(arguments: StoreFactory.allCases)
    func changesAreMadeTogetherOrNotAtAll(factory: StoreFactory) async throws {
        try await factory.runStore { store async throws in
            let first = [
                EntryChange(fruit, "apple", if: .absent, to: [1]),
                EntryChange(roots, "beet", if: .absentOrValue([9]), to: [2]),
            ]
            #expect(try await store.change(first) == .done)
            #expect(try await store.change(first) == .unmet(0))
            let second = [
                EntryChange(fruit, "apple", if: .value([1]), to: nil),
                EntryChange(roots, "beet", if: .absentOrValue([9]), to: [3]),
            ]
            #expect(try await store.change(second) == .unmet(1))
            #expect(try await store.entries(["apple"], of: fruit) == [StoreEntry(name: "apple", value: [1])])
            let third = [EntryChange(fruit, "apple", if: .value([1]), to: nil), EntryChange(roots, "beet", to: [])]
            #expect(try await store.change(third) == .done)
            #expect(try await store.entries(["apple"], of: fruit) == [])
            #expect(try await store.entries(["beet"], of: roots) == [StoreEntry(name: "beet", value: [])])
            #expect(try await store.change([EntryChange(roots, "none", to: nil)]) == .done)
        }
    }

    @Test(arguments: StoreFactory.allCases)
    func fullCollectionTakesNoMore(factory: StoreFactory) async throws {
        try await factory.runStore { store async throws in
            let add = { (name: String) in EntryChange(fruit, name, to: [1], most: 2) }
            #expect(try await store.change([add("a"), add("b"), add("c")]) == .full(2))
            #expect(try await store.entries(of: fruit, after: nil, limit: 9) == [])
            #expect(try await store.change([add("a"), add("b")]) == .done)
            #expect(try await store.change([EntryChange(roots, "x", to: [1]), add("c")]) == .full(1))
            // An entry that is there may be changed, and one that is removed makes room.
            #expect(try await store.change([add("a")]) == .done)
            #expect(try await store.change([EntryChange(fruit, "a", to: nil)]) == .done)
            #expect(try await store.change([add("c")]) == .done)
        }
    }

    @Test(arguments: StoreFactory.allCases)
    func ofTwoThatExpectTheSameOneSucceeds(factory: StoreFactory) async throws {
        try await factory.run { world in
            let stores = [try await world.store(), try await world.store()]
            for round in 0..<20 {
                let expected = round == 0 ? EntryChange.Condition.absent : .value(Array("\(round - 1)".utf8))
                let change = EntryChange(fruit, "apple", if: expected, to: Array("\(round)".utf8))
                async let one = stores[0].change([change])
                async let other = stores[1].change([change])
                let results = [try await one, try await other]
                #expect(results.count { $0 == .done } == 1 && results.count { $0 == .unmet(0) } == 1)
            }
        }
    }

    @Test(arguments: StoreFactory.allCases, [1, 2] as [UInt64])
    func storeAgreesWithADictionary(factory: StoreFactory, seed: UInt64) async throws {
        try await factory.run { world in
            let stores = [try await world.store(), try await world.store()]
            var random = SplitMix64(seed: seed)
            var model: [StoreCollection: [String: [UInt8]]] = [:]
            for _ in 0..<300 {
                let changes = changes(model, &random)
                let expected = apply(changes, to: &model)
                let store = stores[Int.random(in: 0...1, using: &random)]
                #expect(try await store.change(changes) == expected)
                for collection in [fruit, roots] {
                    let entries = try await stores[0].entries(of: collection, after: nil, limit: CollectionLimits.page)
                    #expect(
                        Dictionary(uniqueKeysWithValues: entries.map { ($0.name, $0.value) }) == model[collection]
                            ?? [:]
                    )
                    #expect(entries.map(\.name) == entries.map(\.name).sorted())
                }
            }
        }
    }

    private func changes(_ model: [StoreCollection: [String: [UInt8]]], _ random: inout SplitMix64) -> [EntryChange] {
        var names = (0..<8).map { "n\($0)" }.shuffled(using: &random)
        return (0..<Int.random(in: 1...3, using: &random)).map { _ in
            let collection = Bool.random(using: &random) ? fruit : roots
            let name = names.removeLast()
            let guessed =
                Bool.random(using: &random) ? model[collection]?[name] ?? [] : [UInt8.random(in: 0...3, using: &random)]
            let conditions: [EntryChange.Condition] = [.none, .absent, .value(guessed), .absentOrValue(guessed)]
            return EntryChange(
                collection,
                name,
                if: conditions[Int.random(in: 0...3, using: &random)],
                to: Int.random(in: 0...2, using: &random) == 0 ? nil : [UInt8.random(in: 0...3, using: &random)],
                most: Bool.random(using: &random) ? 4 : nil
            )
        }
    }

    private func apply(
        _ changes: [EntryChange],
        to model: inout [StoreCollection: [String: [UInt8]]]
    ) -> EntryChangeResult {
        var next = model
        for (index, change) in changes.enumerated() {
            let known = model[change.collection]?[change.name]
            let isMet =
                switch change.condition {
                case .none: true
                case .absent: known == nil
                case .value(let value): known == value
                case .absentOrValue(let value): known == nil || known == value
                }
            guard isMet else { return .unmet(index) }
            // What the earlier changes remove makes no room for the later ones.
            let added = changes[...index].filter {
                $0.collection == change.collection && $0.value != nil && model[$0.collection]?[$0.name] == nil
            }
            if known == nil, change.value != nil, let most = change.most,
                (model[change.collection]?.count ?? 0) + added.count > most
            {
                return .full(index)
            }
            next[change.collection, default: [:]][change.name] = change.value
        }
        model = next
        return .done
    }
}
