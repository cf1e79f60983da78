import Redis

extension RedisStore {
    public func value(for key: StoreKey) async throws(StoreError) -> [UInt8]? {
        let reply = try await send(RedisCommand("GET", key.text))[0]
        if reply.isNull { return nil }
        guard let bytes = reply.bytes else { throw .unexpected("GET") }
        return bytes
    }

    public func set(_ value: [UInt8], for key: StoreKey, lifetime: Duration?) async throws(StoreError) {
        var command = RedisCommand("SET", key.text, value)
        if let lifetime {
            command.append("PX")
            command.append(lifetime.wholeMilliseconds)
        }
        _ = try await write([command])
    }

    public func replace(
        _ expected: [UInt8]?,
        with value: [UInt8],
        for key: StoreKey,
        lifetime: Duration?
    ) async throws(StoreError) -> Bool {
        guard let expected else {
            var command = RedisCommand("SET", key.text, value, "NX")
            if let lifetime {
                command.append("PX")
                command.append(lifetime.wholeMilliseconds)
            }
            return try await !write([command])[0].isNull
        }
        let command = RedisScripts.replace.command(
            keys: [key.text],
            arguments: [expected, value, lifetime?.wholeMilliseconds ?? 0]
        )
        return try await write([command])[0] == .integer(1)
    }

    public func remove(_ key: StoreKey) async throws(StoreError) {
        _ = try await write([RedisCommand("DEL", key.text)])
    }

    /// By `SCAN`, which goes through all keys: most pages of a small kind are empty.
    public func keys(
        ofTenant tenant: String,
        kind: String,
        cursor: String?,
        limit: Int
    ) async throws(StoreError) -> (keys: [StoreKey], next: String?) {
        let prefix = StoreKey(tenant: tenant, kind: kind, name: "").text
        let pattern = prefix.reduce(into: "") { $0 += "*?[]\\".contains($1) ? "\\\($1)" : "\($1)" } + "*"
        let reply = try await send(RedisCommand("SCAN", cursor ?? "0", "MATCH", pattern, "COUNT", limit))[0]
        guard let parts = reply.array, parts.count == 2, let next = parts[0].bytes, let found = parts[1].array else {
            throw .unexpected("SCAN")
        }
        let keys = found.compactMap(\.bytes).map { StoreKey(text: String(decoding: $0, as: UTF8.self)) }
        return (keys, next == Array("0".utf8) ? nil : String(decoding: next, as: UTF8.self))
    }

    // MARK: Leases

    public func acquire(_ key: StoreKey, for duration: Duration) async throws(StoreError) -> Lease? {
        let holder = Lease.newHolder()
        let command = RedisScripts.acquire.command(
            keys: [key.text, RedisKeys.fencingToken],
            arguments: [holder, duration.wholeMilliseconds]
        )
        let reply = try await write([command])[0]
        if reply.isNull { return nil }
        guard let token = reply.bytes.flatMap({ UInt64(digits: $0) }) else { throw .unexpected("a lease") }
        return Lease(key: key, holder: holder, fencingToken: token)
    }

    public func renew(_ lease: Lease, for duration: Duration) async throws(StoreError) -> Bool {
        let command = RedisScripts.renew.command(
            keys: [lease.key.text],
            arguments: [lease.holder, duration.wholeMilliseconds]
        )
        return try await write([command])[0] == .integer(1)
    }

    public func set(
        _ value: [UInt8],
        for key: StoreKey,
        lifetime: Duration?,
        holding lease: Lease
    ) async throws(StoreError) -> Bool {
        let command = RedisScripts.setHolding.command(
            keys: [lease.key.text, key.text],
            arguments: [lease.holder, value, lifetime?.wholeMilliseconds ?? 0]
        )
        return try await write([command])[0] == .integer(1)
    }

    public func release(_ lease: Lease) async throws(StoreError) {
        _ = try await send(RedisScripts.release.command(keys: [lease.key.text], arguments: [lease.holder]))
    }
}

extension Duration {
    /// At least one, the minimum for Redis; rounded down.
    fileprivate var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        return max(1, min(seconds, 1 << 40) * 1000 + attoseconds / 1_000_000_000_000_000)
    }
}
