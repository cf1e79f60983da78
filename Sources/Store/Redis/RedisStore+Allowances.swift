import Redis

extension RedisStore {
    /// Keys per script: other commands wait for it.
    private static let page = 256

    /// Does not wait for replicas: a lost use allows a few more requests, a slow one would delay the next.
    public func use(_ uses: [AllowanceUse], timeout: Duration) async throws(StoreError) -> [Int64] {
        guard !uses.isEmpty else { return [] }
        var commands: [RedisCommand] = []
        for start in stride(from: 0, to: uses.count, by: Self.page) {
            let some = uses[start..<min(start + Self.page, uses.count)]
            commands.append(
                RedisScripts.use.command(
                    keys: some.map(\.key.text),
                    arguments: some.flatMap { [Int64($0.count) * $0.interval, $0.most] }
                )
            )
        }
        let replies = try await Self.exchange(commands, with: clients().commands, timeout: timeout)
        let times = replies.flatMap { $0.array ?? [] }.compactMap(\.integer)
        guard times.count == uses.count else { throw .unexpected("the use of allowances") }
        return times
    }
}

extension RedisScripts {
    /// `KEYS`: the allowances. `ARGV`: for each the microseconds to add, and how far ahead it may be at most. Returns
    /// for each the microseconds until it is full again, by the server's clock, since the instances' clocks differ.
    ///
    /// A key's value is the time when that is; it expires then. A value of another kind counts as none, and so does one
    /// from before the server's clock was set back.
    static let use = RedisScript(
        """
        local time = redis.call('TIME')
        local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
        local left = {}
        for i, key in ipairs(KEYS) do
            local added, most = tonumber(ARGV[2 * i - 1]), tonumber(ARGV[2 * i])
            local whole = tonumber(redis.call('GET', key) or now) or now
            if whole > now + most + \(AllowanceTime.tolerance) then whole = now end
            whole = math.min(math.min(math.max(whole, now), now + most) + added, now + most)
            if added > 0 then
                local milliseconds = math.max(1, math.ceil((whole - now) / 1000))
                redis.call('SET', key, string.format('%.0f', whole), 'PX', string.format('%.0f', milliseconds))
            end
            left[i] = whole - now
        end
        return left
        """
    )
}
