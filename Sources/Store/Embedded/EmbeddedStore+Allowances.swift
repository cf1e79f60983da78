import SQLite

extension EmbeddedStore {
    public func use(_ uses: [AllowanceUse], timeout: Duration) async throws(StoreError) -> [Int64] {
        guard !uses.isEmpty else { return [] }
        let clock = now
        return try await within(timeout) { () async throws(StoreError) in
            try await self.write { db in
                // The call may have waited for writes of others.
                let now = AllowanceTime.microseconds(clock())
                try Self.sweep("value", now: AllowanceTime.unixTime(now), db)
                return try uses.map { try Self.use($0, now: now, db) }
            }
        }
    }

    /// The time is stored as a value: decimal digits of Unix microseconds. Anything else counts as none.
    private static func use(_ use: AllowanceUse, now: Int64, _ db: SQLiteConnection) throws -> Int64 {
        let known = try value(for: use.key, now: AllowanceTime.unixTime(now), db)
        let wholeAt = known.flatMap { Int64(String(decoding: $0, as: UTF8.self)) }
        let time = AllowanceTime.after(use, wholeAt: wholeAt, now: now)
        if use.count > 0 {
            try put(Array(String(time).utf8), for: use.key, expiresAt: AllowanceTime.unixTime(time), db)
        }
        return time - now
    }
}
