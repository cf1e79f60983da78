import Redis

extension RedisScripts {
    /// `KEYS`: entries, their names. `ARGV`: where to begin, as `ZRANGEBYLEX` takes it, and the maximum number. Returns
    /// names and values in turn.
    static let entries = RedisScript(
        """
        local names = redis.call('ZRANGEBYLEX', KEYS[2], ARGV[1], '+', 'LIMIT', 0, ARGV[2])
        if #names == 0 then return {} end
        local values = redis.call('HMGET', KEYS[1], unpack(names))
        local page = {}
        for i, name in ipairs(names) do
            -- One without a value was removed behind the gateway's back.
            if values[i] then
                page[#page + 1] = name
                page[#page + 1] = values[i]
            end
        end
        return page
        """
    )

    /// `KEYS`: entries and names of each collection. `ARGV`: for each change the number of its collection, the name, the
    /// condition with its value, whether there is a new value, that value, and the maximum number of entries or -1.
    /// Returns 0 if all were made, or 1 for an unmet condition or 2 for a full collection, each with the change's index.
    static let changeEntries = RedisScript(
        """
        local added = {}
        for i = 1, #ARGV, 7 do
            local entries = KEYS[2 * ARGV[i] + 1]
            local known = redis.call('HGET', entries, ARGV[i + 1])
            local condition, expected, index = ARGV[i + 2], ARGV[i + 3], (i - 1) / 7
            local is_met = condition == 'none' or (condition == 'absent' and not known)
                or (condition == 'value' and known == expected)
                or (condition == 'absent_or_value' and (not known or known == expected))
            if not is_met then return {1, index} end
            if not known and ARGV[i + 4] == '1' then
                added[entries] = (added[entries] or 0) + 1
                local most = tonumber(ARGV[i + 6])
                if most >= 0 and redis.call('HLEN', entries) + added[entries] > most then return {2, index} end
            end
        end
        for i = 1, #ARGV, 7 do
            local entries, names = KEYS[2 * ARGV[i] + 1], KEYS[2 * ARGV[i] + 2]
            if ARGV[i + 4] == '1' then
                redis.call('HSET', entries, ARGV[i + 1], ARGV[i + 5])
                redis.call('ZADD', names, 0, ARGV[i + 1])
            else
                redis.call('HDEL', entries, ARGV[i + 1])
                redis.call('ZREM', names, ARGV[i + 1])
            end
        end
        return {0, 0}
        """
    )
}
