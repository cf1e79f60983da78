/// The collections of a ``MemoryStore``.
struct MemoryCollections {
    /// By the bytes of the names: `String` takes canonically equivalent texts for equal.
    private var collections: [StoreCollection: [[UInt8]: [UInt8]]] = [:]

    func entries(of collection: StoreCollection, after name: String?, limit: Int) -> [StoreEntry] {
        let entries = collections[collection] ?? [:]
        let start = name.map { Array($0.utf8) }
        let names = entries.keys.filter { key in start.map { $0.lexicographicallyPrecedes(key) } ?? true }
        return names.sorted { $0.lexicographicallyPrecedes($1) }.prefix(limit).map { name in
            StoreEntry(name: String(decoding: name, as: UTF8.self), value: entries[name] ?? [])
        }
    }

    func entries(_ names: [String], of collection: StoreCollection) -> [StoreEntry] {
        names.compactMap { name in
            collections[collection]?[Array(name.utf8)].map { StoreEntry(name: name, value: $0) }
        }
    }

    mutating func change(_ changes: [EntryChange]) -> EntryChangeResult {
        var added: [StoreCollection: Int] = [:]
        for (index, change) in changes.enumerated() {
            let known = collections[change.collection]?[Array(change.name.utf8)]
            guard change.condition.holds(for: known) else { return .unmet(index) }
            guard known == nil, change.value != nil else { continue }
            added[change.collection, default: 0] += 1
            guard let most = change.most else { continue }
            let count = (collections[change.collection]?.count ?? 0) + (added[change.collection] ?? 0)
            guard count <= most else { return .full(index) }
        }
        for change in changes {
            collections[change.collection, default: [:]][Array(change.name.utf8)] = change.value
        }
        return .done
    }
}

extension EntryChange.Condition {
    /// - Parameter known: The present value; nil if there is none.
    func holds(for known: [UInt8]?) -> Bool {
        switch self {
        case .none: true
        case .absent: known == nil
        case .value(let value): known == value
        case .absentOrValue(let value): known == nil || known == value
        }
    }
}
