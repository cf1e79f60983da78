import Redis
import Synchronization
import Time

extension RedisStore {
    /// Records per script: it blocks the server for a millisecond or two.
    private static let recordsAScript = 100
    private static let scriptsAPipeline = 50
    /// Fields per request to the server.
    private static let scanned = 1000
    /// Tenants whose first pages are asked for at once: one after the other, ten thousand tenants would take as many round
    /// trips.
    private static let tenantsAtOnce = 32
    /// The maximum pages of a scan that one call reads, if most entries are not in force.
    private static let scannedPages = 100
    private static let expiredAtOnce = 500

    public func revoke(_ revocations: [Revocation]) async throws(StoreError) -> [RevocationRecord] {
        for revocation in revocations { try revocation.validate() }
        let now = now()
        let asked = revocations.map { RevocationRecord($0, version: 0) }
        var records: [RevocationRecord] = []
        records.reserveCapacity(asked.count)
        for pipeline in Self.batches(asked).chunks(of: Self.scriptsAPipeline) {
            let commands = pipeline.map { batch in
                let first: [any RedisArgument] = [keptChanges, batch.first?.tenant ?? "", "\(now.seconds)"]
                return RedisScripts.revoke.command(
                    keys: keys(batch.first?.tenant ?? ""),
                    arguments: first
                        + batch.flatMap { record -> [any RedisArgument] in
                            [
                                record.digest.text, "\(record.revokedAt.seconds)", "\(record.expiresAt.seconds)",
                                record.note.json,
                            ]
                        }
                )
            }
            let (replies, connection) = try await writeChanges(commands)
            var acknowledged: [RevocationRecord] = []
            for (batch, reply) in zip(pipeline, replies) { acknowledged += try revoked(batch, reply) }
            saw(acknowledged.map { RedisStreamID(version: $0.version) }, on: connection)
            records += acknowledged
        }
        return records
    }

    /// - Parameter reply: For each of the batch the ID of its entry, when it was revoked and when it expires.
    private func revoked(
        _ batch: ArraySlice<RevocationRecord>,
        _ reply: RedisReply
    ) throws(StoreError) -> [RevocationRecord] {
        guard let parts = reply.array, parts.count == 3 * batch.count else { throw .unexpected("the revocations") }
        var records = Array(batch)
        for index in records.indices {
            guard let id = parts[3 * index].bytes.flatMap({ RedisStreamID($0) }),
                let revokedAt = parts[3 * index + 1].bytes.flatMap({ RevocationRecordCodec.number($0.span) }),
                let expiresAt = parts[3 * index + 2].bytes.flatMap({ RevocationRecordCodec.number($0.span) })
            else { throw .unexpected("the revocations") }
            records[index].version = try Self.version(id)
            records[index].revokedAt = UnixTime(revokedAt)
            records[index].expiresAt = UnixTime(expiresAt)
        }
        return records
    }

    public func withdraw(
        _ targets: [RevocationTarget],
        tenant: String
    ) async throws(StoreError) -> [RevocationRecord] {
        let now = now()
        let latest = now + RevocationLimits.withdrawnLifetime
        let commands = targets.chunks(of: Self.recordsAScript).map { some in
            let arguments: [any RedisArgument] = [keptChanges, tenant, "\(now.seconds)", "\(latest.seconds)"]
            return RedisScripts.withdraw.command(
                keys: keys(tenant),
                arguments: arguments + some.map { RevocationDigest($0).text }
            )
        }
        var records: [RevocationRecord] = []
        for pipeline in commands.chunks(of: Self.scriptsAPipeline) {
            let (replies, connection) = try await writeChanges(Array(pipeline))
            for reply in replies {
                guard let parts = reply.array else { throw .unexpected("the withdrawals") }
                let (withdrawn, unreadable) = try Self.records(parts, tenant: tenant)
                guard unreadable.isEmpty else { throw .garbled("a note of what was withdrawn") }
                saw(withdrawn.map { RedisStreamID(version: $0.version) }, on: connection)
                records += withdrawn
            }
        }
        return records
    }

    public func restore(_ records: [RevocationRecord]) async throws(StoreError) {
        for record in records { try record.validate() }
        let now = now()
        let batches = Self.batches(records.filter { $0.expiresAt > now })
        for pipeline in batches.chunks(of: Self.scriptsAPipeline) {
            let commands = pipeline.map { batch in
                RedisScripts.restore.command(
                    keys: keys(batch.first?.tenant ?? ""),
                    arguments: arguments(batch) { record in
                        let id = RedisStreamID(version: record.version)
                        return [
                            record.digest.text, id.milliseconds, id.sequence,
                            RevocationRecordCodec.withoutVersion(record),
                            Self.score(record),
                        ]
                    }
                )
            }
            let (replies, connection) = try await writeChanges(commands)
            for reply in replies { saw(try ids(reply), on: connection) }
        }
    }

    public func removeExpiredRevocations(tenants: [String]) async throws(StoreError) {
        let now = now()
        for tenant in tenants {
            for _ in 0..<RevocationLimits.cleanUp / Self.expiredAtOnce {
                let removed = try await send(
                    RedisScripts.removeExpired.command(
                        keys: [RedisKeys.revocations(tenant), RedisKeys.expiry(tenant)],
                        arguments: ["\(now.seconds)", Self.expiredAtOnce]
                    )
                )[0].integer
                guard let removed else { throw .unexpected("the clean-up") }
                if removed < Self.expiredAtOnce { break }
            }
        }
    }

    // MARK: Reading

    public func loadRevocations(
        tenants: [String],
        page: @Sendable ([RevocationRecord]) async -> Void
    ) async throws(StoreError) -> StorePosition {
        let client = try clients().commands
        witness.withLock { $0.loadBegan() }
        // First: changes made while the pages are read are read again as changes.
        let position = try await RedisPosition.current(client)
        try await loadFurtherRevocations(tenants: tenants, page: page)
        witness.withLock { $0.loaded() }
        return position.position
    }

    public func loadFurtherRevocations(
        tenants: [String],
        page: @Sendable ([RevocationRecord]) async -> Void
    ) async throws(StoreError) {
        let client = try clients().commands
        let connection = client.connectionNumber
        for start in stride(from: 0, to: tenants.count, by: Self.tenantsAtOnce) {
            var rest = tenants[start..<min(start + Self.tenantsAtOnce, tenants.count)].map { (name: $0, cursor: "0") }
            while !rest.isEmpty {
                let pages = try await scan(rest, count: Self.scanned)
                // A cursor is invalid for another server, or for the same one after a restart.
                guard client.connectionNumber == connection else {
                    throw .unavailable("the connection was lost while revocations were loaded")
                }
                for records in pages.map(\.records) where !records.isEmpty { await page(records) }
                rest = zip(rest, pages).filter { $1.next != "0" }.map { (name: $0.name, cursor: $1.next) }
            }
        }
    }

    public func revocations(
        tenant: String,
        cursor: String?,
        limit: Int
    ) async throws(StoreError) -> (records: [RevocationRecord], next: String?) {
        var cursor = cursor ?? "0"
        guard UInt64(digits: cursor.utf8) != nil else {
            throw .garbled("the cursor is none that was given with a page")
        }
        let limit = max(1, limit)
        let now = now()
        var found: [RevocationDigest: RevocationRecord] = [:]
        for _ in 0..<Self.scannedPages {
            let page = try await scan([(name: tenant, cursor: cursor)], count: min(limit, Self.scanned))
            guard let (records, next) = page.first else { throw .unexpected("HSCAN") }
            for record in records where record.isInForce(at: now) { found[record.digest] = record }
            cursor = next
            if cursor == "0" || found.count >= limit { break }
        }
        return (Array(found.values), cursor == "0" ? nil : cursor)
    }

    /// - Returns: A page of each tenant.
    private func scan(
        _ tenants: [(name: String, cursor: String)],
        count: Int
    ) async throws(StoreError) -> [(records: [RevocationRecord], next: String)] {
        let commands = tenants.map { tenant in
            RedisCommand("HSCAN", RedisKeys.revocations(tenant.name), tenant.cursor, "COUNT", count)
        }
        let replies = try await Self.exchange(commands, with: clients().commands)
        var pages: [(records: [RevocationRecord], next: String)] = []
        for (tenant, reply) in zip(tenants, replies) { pages.append(try page(of: tenant.name, reply)) }
        return pages
    }

    private func page(
        of tenant: String,
        _ reply: RedisReply
    ) throws(StoreError) -> (records: [RevocationRecord], next: String) {
        guard let parts = reply.array, parts.count == 2, let next = parts[0].bytes, let entries = parts[1].array else {
            throw .unexpected("HSCAN")
        }
        let (records, unreadable) = try Self.records(entries, tenant: tenant)
        self.unreadable.found(unreadable, tenant: tenant)
        return (records, String(decoding: next, as: UTF8.self))
    }

    // MARK: Scripts

    private func keys(_ tenant: String) -> [String] {
        [RedisKeys.revocations(tenant), RedisKeys.expiry(tenant), RedisKeys.changes, RedisKeys.changeCount]
    }

    private func arguments(
        _ batch: ArraySlice<RevocationRecord>,
        of record: (RevocationRecord) -> [any RedisArgument]
    ) -> [any RedisArgument] {
        let first: [any RedisArgument] = [keptChanges, batch.first?.tenant ?? ""]
        return first + batch.flatMap(record)
    }

    /// A record's expiry as the score of a sorted set.
    private static func score(_ record: RevocationRecord) -> String {
        record.expiresAt.seconds.isFinite ? "\(record.expiresAt.seconds)" : ""
    }

    /// In the given order, as many as fit into one script, all of one tenant.
    private static func batches(_ records: [RevocationRecord]) -> [ArraySlice<RevocationRecord>] {
        var batches: [ArraySlice<RevocationRecord>] = []
        var start = 0
        for index in records.indices {
            let isLast = index + 1 == records.count || records[index + 1].tenant != records[start].tenant
            if isLast || index + 1 - start == recordsAScript {
                batches.append(records[start...index])
                start = index + 1
            }
        }
        return batches
    }

    /// Acknowledged changes, for which reads check.
    private func saw(_ ids: [RedisStreamID], on connection: UInt64?) {
        if let last = ids.max() { witness.withLock { $0.saw(last, on: connection) } }
    }

    /// - Returns: The replies, and the connection that they came on; nil if it changed in between.
    private func writeChanges(
        _ commands: [RedisCommand]
    ) async throws(StoreError) -> (replies: [RedisReply], connection: UInt64?) {
        let client = try clients().commands
        let connection = client.connectionNumber
        let replies = try await write(commands)
        return (replies, client.connectionNumber == connection ? connection : nil)
    }

    /// The IDs that a script assigned to its stream entries.
    private func ids(_ reply: RedisReply) throws(StoreError) -> [RedisStreamID] {
        guard let parts = reply.array else { throw .unexpected("a script") }
        var ids: [RedisStreamID] = []
        for part in parts {
            guard let id = part.bytes.flatMap({ RedisStreamID($0) }) else { throw .unexpected("a script") }
            ids.append(id)
        }
        return ids
    }

    private static func version(_ id: RedisStreamID) throws(StoreError) -> UInt64 {
        guard let version = id.version else { throw .garbled("the ID \(id.text) does not fit a version") }
        return version
    }

    /// - Parameter parts: Digests and lines alternately.
    /// - Returns: The records, and the digests of unreadable ones.
    private static func records(
        _ parts: [RedisReply],
        tenant: String
    ) throws(StoreError) -> (records: [RevocationRecord], unreadable: [String]) {
        guard parts.count % 2 == 0 else { throw .unexpected("the records") }
        var records: [RevocationRecord] = []
        var unreadable: [String] = []
        records.reserveCapacity(parts.count / 2)
        for index in stride(from: 0, to: parts.count, by: 2) {
            guard case .string(let digest) = parts[index], case .string(let line) = parts[index + 1] else {
                throw .unexpected("the records")
            }
            if let record = try? RevocationRecordCodec.read(line, tenant: tenant, digest: digest) {
                records.append(record)
            } else {
                unreadable.append(String(decoding: digest.prefix(32), as: UTF8.self))
            }
        }
        return (records, unreadable)
    }
}

extension Array {
    fileprivate func chunks(of count: Int) -> [ArraySlice<Element>] {
        stride(from: 0, to: self.count, by: count).map { self[$0..<Swift.min($0 + count, self.count)] }
    }
}
