import SQLite

extension EmbeddedStore {
    public func entries(
        of collection: StoreCollection,
        after name: String?,
        limit: Int
    ) async throws(StoreError) -> [StoreEntry] {
        try await read { db in
            var arguments: [SQLiteValue] = [.utf8(collection.name)]
            if let name { arguments.append(.utf8(name)) }
            let after = name == nil ? "" : "AND name > ?"
            let sql = "SELECT name, content FROM entry WHERE collection = ? \(after) ORDER BY name LIMIT ?"
            var rows = try db.query(sql, arguments + [.integer(Int64(limit))])
            var entries: [StoreEntry] = []
            while try rows.next() {
                let name = String(decoding: try rows.bytes(0), as: UTF8.self)
                entries.append(StoreEntry(name: name, value: try rows.bytes(1)))
            }
            return entries
        }
    }

    public func entries(_ names: [String], of collection: StoreCollection) async throws(StoreError) -> [StoreEntry] {
        try await read { db in
            var entries: [StoreEntry] = []
            for name in names {
                guard let value = try Self.entry(name, of: collection, db) else { continue }
                entries.append(StoreEntry(name: name, value: value))
            }
            return entries
        }
    }

    public func change(_ changes: [EntryChange]) async throws(StoreError) -> EntryChangeResult {
        try await write { db in
            var added: [StoreCollection: Int] = [:]
            for (index, change) in changes.enumerated() {
                let known = try Self.entry(change.name, of: change.collection, db)
                guard change.condition.holds(for: known) else { return .unmet(index) }
                guard known == nil, change.value != nil else { continue }
                added[change.collection, default: 0] += 1
                guard let most = change.most else { continue }
                let counting = "SELECT count(*) FROM entry WHERE collection = ?"
                let count = Int(try db.integer(counting, [.utf8(change.collection.name)]) ?? 0)
                guard count + (added[change.collection] ?? 0) <= most else { return .full(index) }
            }
            for change in changes { try Self.put(change, db) }
            return .done
        }
    }

    private static func entry(
        _ name: String,
        of collection: StoreCollection,
        _ db: SQLiteConnection
    ) throws -> [UInt8]? {
        let sql = "SELECT content FROM entry WHERE collection = ? AND name = ?"
        var rows = try db.query(sql, [.utf8(collection.name), .utf8(name)])
        return try rows.next() ? try rows.bytes(0) : nil
    }

    private static func put(_ change: EntryChange, _ db: SQLiteConnection) throws {
        let key: [SQLiteValue] = [.utf8(change.collection.name), .utf8(change.name)]
        if let value = change.value {
            try db.execute("REPLACE INTO entry (collection, name, content) VALUES (?, ?, ?)", key + [.bytes(value)])
        } else {
            try db.execute("DELETE FROM entry WHERE collection = ? AND name = ?", key)
        }
    }
}
