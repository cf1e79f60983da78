import SQLite

extension EmbeddedStore {
    /// Records written in one transaction: other processes can write between two.
    private static let writtenAtOnce = 5000
    /// The number of changes between two trims.
    private static let trimInterval: Int64 = 1000

    public func revoke(_ revocations: [Revocation]) async throws(StoreError) -> [RevocationRecord] {
        for revocation in revocations { try revocation.validate() }
        let now = now()
        var records: [RevocationRecord] = []
        for start in stride(from: 0, to: revocations.count, by: Self.writtenAtOnce) {
            let some = revocations[start..<min(start + Self.writtenAtOnce, revocations.count)]
            records += try await change { db in
                let first = try EmbeddedMeta.nextVersion(db, now: now)
                let records = try some.enumerated().map { index, revocation in
                    let asked = RevocationRecord(revocation, version: first + UInt64(index))
                    try EmbeddedRecords.clearUnreadable(for: asked, db)
                    let record = try EmbeddedRecords.merged(asked, now: now, db)
                    _ = try EmbeddedRecords.put(record, db)
                    return record
                }
                try EmbeddedMeta.raiseVersion(to: first + UInt64(records.count - 1), db)
                return records
            }
        }
        return records
    }

    public func withdraw(
        _ targets: [RevocationTarget],
        tenant: String
    ) async throws(StoreError) -> [RevocationRecord] {
        let now = now()
        return try await change { db in
            try targets.compactMap { target in
                let record = try EmbeddedRecords.record(RevocationDigest(target), tenant: tenant, db)
                guard let record, record.isInForce(at: now) else { return nil }
                let version = try EmbeddedMeta.nextVersion(db, now: now)
                let withdrawn = record.withdrawn(version: version, now: now)
                _ = try EmbeddedRecords.put(withdrawn, db)
                return withdrawn
            }
        }
    }

    public func restore(_ records: [RevocationRecord]) async throws(StoreError) {
        for record in records { try record.validate() }
        let now = now()
        for start in stride(from: 0, to: records.count, by: Self.writtenAtOnce) {
            let some = records[start..<min(start + Self.writtenAtOnce, records.count)]
            _ = try await change { db in
                try some.filter { record in
                    guard record.expiresAt > now else { return false }
                    try EmbeddedRecords.clearUnreadable(for: record, db)
                    guard try EmbeddedRecords.put(record, db) else { return false }
                    try EmbeddedMeta.raiseVersion(to: record.version, db)
                    return true
                }
            }
        }
    }

    /// Writes, trims the changes, and wakes this process's readers.
    ///
    /// - Parameter work: Returns the records that it changed.
    private func change(
        _ work: @escaping @Sendable (SQLiteConnection) throws -> [RevocationRecord]
    ) async throws(StoreError) -> [RevocationRecord] {
        let kept = keptChanges
        let records = try await write { db in
            let records = try work(db)
            guard !records.isEmpty else { return records }
            let last = db.lastInsertedRowID
            let interval = min(Self.trimInterval, kept)
            if last / interval > (last - Int64(records.count)) / interval {
                try db.execute("DELETE FROM change WHERE id <= ?", [.integer(last - kept)])
            }
            return records
        }
        if !records.isEmpty { signal.notify() }
        return records
    }

    public func loadRevocations(
        tenants: [String],
        page: @Sendable ([RevocationRecord]) async -> Void
    ) async throws(StoreError) -> StorePosition {
        // First: changes made while the pages are read are read again as changes.
        let position = try await read { try EmbeddedPosition.last($0).position }
        for tenant in tenants {
            var last: RevocationDigest?
            var isWhole = false
            while !isWhole {
                let after = last
                let read = try await read {
                    try EmbeddedRecords.page($0, tenant: tenant, after: after, limit: RevocationLimits.page)
                }
                unreadable.found(read.unreadable.map(\.text), tenant: tenant)
                if !read.records.isEmpty { await page(read.records) }
                last = read.last
                isWhole = !read.isFull
            }
        }
        return position
    }

    public func revocations(
        tenant: String,
        cursor: String?,
        limit: Int
    ) async throws(StoreError) -> (records: [RevocationRecord], next: String?) {
        let start = try RevocationDigest.from(cursor: cursor)
        let limit = max(1, limit)
        let now = now()
        let page = try await read { db in
            try EmbeddedRecords.page(
                db,
                tenant: tenant,
                after: start,
                limit: limit,
                where: "NOT withdrawn AND expires_at > ?",
                [.time(now)]
            )
        }
        unreadable.found(page.unreadable.map(\.text), tenant: tenant)
        return (page.records, page.isFull ? page.last?.text : nil)
    }

    public func removeExpiredRevocations(tenants: [String]) async throws(StoreError) {
        let now = now()
        for tenant in tenants {
            try await write { db in
                let sql = """
                    DELETE FROM revocation WHERE tenant = ?1 AND (digest_high, digest_low) IN (
                        SELECT digest_high, digest_low FROM revocation
                        WHERE tenant = ?1 AND expires_at <= ?2 AND expires_at < 9e999
                        LIMIT \(RevocationLimits.cleanUp)
                    )
                    """
                try db.execute(sql, [.text(tenant), .time(now)])
            }
        }
    }
}
