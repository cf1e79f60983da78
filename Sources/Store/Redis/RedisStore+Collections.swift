import Redis

extension RedisStore {
    public func entries(
        of collection: StoreCollection,
        after name: String?,
        limit: Int
    ) async throws(StoreError) -> [StoreEntry] {
        let command = RedisScripts.entries.command(
            keys: Self.keys(of: collection),
            arguments: [name.map { "(\($0)" } ?? "-", min(limit, CollectionLimits.page)]
        )
        guard let parts = try await send(command)[0].array, parts.count.isMultiple(of: 2) else {
            throw .unexpected("the entries")
        }
        var entries: [StoreEntry] = []
        for index in stride(from: 0, to: parts.count, by: 2) {
            guard let name = parts[index].bytes, let value = parts[index + 1].bytes else {
                throw .unexpected("an entry")
            }
            entries.append(StoreEntry(name: String(decoding: name, as: UTF8.self), value: value))
        }
        return entries
    }

    public func entries(_ names: [String], of collection: StoreCollection) async throws(StoreError) -> [StoreEntry] {
        guard !names.isEmpty else { return [] }
        var command = RedisCommand("HMGET", RedisKeys.entries(collection))
        for name in names { command.append(name) }
        guard let values = try await send(command)[0].array, values.count == names.count else {
            throw .unexpected("HMGET")
        }
        var entries: [StoreEntry] = []
        for (name, value) in zip(names, values) where !value.isNull {
            guard let bytes = value.bytes else { throw .unexpected("HMGET") }
            entries.append(StoreEntry(name: name, value: bytes))
        }
        return entries
    }

    public func change(_ changes: [EntryChange]) async throws(StoreError) -> EntryChangeResult {
        var collections: [StoreCollection] = []
        var arguments: [any RedisArgument] = []
        for change in changes {
            let place = collections.firstIndex(of: change.collection) ?? collections.endIndex
            if place == collections.endIndex { collections.append(change.collection) }
            let (condition, expected) = change.condition.arguments
            arguments += [
                place, change.name, condition, expected, change.value == nil ? "0" : "1", change.value ?? [],
                change.most ?? -1,
            ]
        }
        let command = RedisScripts.changeEntries.command(keys: collections.flatMap(Self.keys), arguments: arguments)
        guard let reply = try await write([command])[0].array, reply.count == 2, let kind = reply[0].integer,
            let index = reply[1].integer.map({ Int($0) })
        else { throw .unexpected("a change") }
        switch kind {
        case 0: return .done
        case 1 where changes.indices.contains(index): return .unmet(index)
        case 2 where changes.indices.contains(index): return .full(index)
        default: throw .unexpected("a change")
        }
    }

    private static func keys(of collection: StoreCollection) -> [String] {
        [RedisKeys.entries(collection), RedisKeys.entryNames(collection)]
    }
}

extension EntryChange.Condition {
    /// As ``RedisScripts/changeEntries`` takes it.
    fileprivate var arguments: (String, [UInt8]) {
        switch self {
        case .none: ("none", [])
        case .absent: ("absent", [])
        case .value(let value): ("value", value)
        case .absentOrValue(let value): ("absent_or_value", value)
        }
    }
}
