import Redis

/// Operations that Redis must execute in one step.
enum RedisScripts {
    /// A new count starts with the microseconds of the clock, so that the count of a server that lost its data differs
    /// from the previous one.
    private static let startCount = """
        local function start_count(key, call)
            if redis.call('EXISTS', key) == 0 then
                local time = redis.call('TIME')
                call('SET', key, string.format('%.0f', tonumber(time[1]) * 1000000 + tonumber(time[2])))
            end
        end

        """

    /// Returns the last ID of the stream `key` and how many entries were ever added to it; false if the server, older
    /// than Redis 7, does not count them.
    private static let streamInfo = """
        local function stream_info(key)
            if redis.call('EXISTS', key) == 0 then return '0-0', 0 end
            local info = redis.call('XINFO', 'STREAM', key)
            local last, added = '0-0', false
            for i = 1, #info, 2 do
                if info[i] == 'last-generated-id' then last = info[i + 1] end
                if info[i] == 'entries-added' then added = info[i + 1] end
            end
            return last, added
        end

        """

    /// `KEYS`: changes, announcements, count of changes. Returns the first one's last entry, or without one its last
    /// ID, the last ID of the second, the count, and the entries ever added to the first. Starts the count if there is
    /// none, unless the server refuses writes.
    static let currentPosition = RedisScript(
        startCount + streamInfo + """
            start_count(KEYS[3], redis.pcall)
            local last, added = stream_info(KEYS[1])
            local entry = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
            -- The latest entry identifies this history.
            if entry then last = entry[1] end
            local announced = stream_info(KEYS[2])
            return {last, announced, redis.call('GET', KEYS[3]), added}
            """
    )

    /// `KEYS`: changes, announcements, count of changes. `ARGV`: the position's IDs in both streams, the most entries
    /// of each, other IDs. Returns the entries after the position, whether the first stream has the position's entry,
    /// how many it has of the other ones, its last ID, the count, and the entries ever added to it.
    static let read = RedisScript(
        streamInfo + """
            local function has(id) return #redis.call('XRANGE', KEYS[1], id, id) end
            local read = redis.call('XREAD', 'COUNT', ARGV[3], 'STREAMS', KEYS[1], KEYS[2], ARGV[1], ARGV[2])
            local last, added = stream_info(KEYS[1])
            local others = 0
            for i = 4, #ARGV do others = others + has(ARGV[i]) end
            return {read, has(ARGV[1]), others, last, redis.call('GET', KEYS[3]), added}
            """
    )

    /// Adds to the stream `KEYS[3]`, counts that in `KEYS[4]`, and stores the record. `rest` is a line without its
    /// version, `score` its expiry or empty. `known` returns the stored record, nil if it is unreadable, and whether
    /// there is one; numbers keep their text, so that none is rounded.
    ///
    /// A sequence beyond 20 bits does not fit a version: the server's clock went back, and more than a million changes
    /// were made in one of its milliseconds. Then the next millisecond is used.
    private static let put =
        startCount + """
            -- Before the entry: one that is counted and not there makes readers load everything, the reverse would not.
            local function count()
                start_count(KEYS[4], redis.call)
                redis.call('INCR', KEYS[4])
            end
            local function add(id, ...)
                return redis.call('XADD', KEYS[3], 'MAXLEN', '~', ARGV[1], id, 't', ARGV[2], ...)
            end
            local function put(digest, rest)
                count()
                local id = add('*', 'd', digest, 'r', rest)
                local ms, sequence = string.match(id, '^(%d+)-(%d+)$')
                if tonumber(sequence) > 1048575 then
                    redis.call('XDEL', KEYS[3], id)
                    id = add(string.format('%.0f-0', tonumber(ms) + 1), 'd', digest, 'r', rest)
                end
                return id
            end
            local function record(digest, id, rest, score)
                redis.call('HSET', KEYS[1], digest, id .. ' ' .. rest)
                if score == '' then redis.call('ZREM', KEYS[2], digest) else redis.call('ZADD', KEYS[2], score, digest) end
            end
            local function number(text)
                if text == 'inf' then return math.huge end
                return tonumber(text)
            end
            local function known(digest)
                local line = redis.call('HGET', KEYS[1], digest)
                if not line then return nil, false end
                local ms, sequence, revoked, expires, state, note =
                    string.match(line, '^(%d+)-(%d+) (%S+) (%S+) ([RW]) ({.*})$')
                local at = number(revoked)
                if not (at and at > -math.huge and at < math.huge and number(expires)) then return nil, true end
                return {
                    ms = tonumber(ms), sequence = tonumber(sequence), revoked = revoked, expires = expires, note = note,
                    in_force = function(now) return state == 'R' and number(expires) > number(now) end
                }, true
            end

            """

    /// `KEYS`: records, expiry, changes, count of changes. `ARGV`: changes kept, tenant, now, then for each its digest,
    /// when it was revoked, when it expires and its note. Returns for each its ID and both times as stored: an entry in
    /// force is neither shortened nor narrowed.
    static let revoke = RedisScript(
        put + """
            local result = {}
            for i = 4, #ARGV, 4 do
                local digest, revoked, expires = ARGV[i], ARGV[i + 1], ARGV[i + 2]
                local before = known(digest)
                if before and before.in_force(ARGV[3]) then
                    if number(before.revoked) > number(revoked) then revoked = before.revoked end
                    if number(before.expires) > number(expires) then expires = before.expires end
                end
                local rest = revoked .. ' ' .. expires .. ' R ' .. ARGV[i + 3]
                local id = put(digest, rest)
                local score = expires
                if expires == 'inf' then score = '' end
                record(digest, id, rest, score)
                local last = #result
                result[last + 1], result[last + 2], result[last + 3] = id, revoked, expires
            end
            return result
            """
    )

    /// `ARGV`: changes kept, tenant, now, when the record of a withdrawal expires at the latest, then the digests.
    /// Returns the digest and the line of each that was in force.
    static let withdraw = RedisScript(
        put + """
            local withdrawn = {}
            for i = 5, #ARGV do
                local before, is_there = known(ARGV[i])
                if is_there and not before then return redis.error_reply('GARBLED the revocation ' .. ARGV[i]) end
                if before and before.in_force(ARGV[3]) then
                    local expires = before.expires
                    if number(expires) > number(ARGV[4]) then expires = ARGV[4] end
                    local rest = before.revoked .. ' ' .. expires .. ' W ' .. before.note
                    local id = put(ARGV[i], rest)
                    record(ARGV[i], id, rest, expires)
                    withdrawn[#withdrawn + 1] = ARGV[i]
                    withdrawn[#withdrawn + 1] = id .. ' ' .. rest
                end
            end
            return withdrawn
            """
    )

    /// `ARGV`: changes kept, tenant, then for each its digest, the two parts of its version, line without version and
    /// expiry. Returns the IDs of those that were restored.
    ///
    /// An unreadable record counts as older than any other. The stream continues above the version if it can, so that
    /// no later one is below it. The entry has its version in `v`. Its ID differs from that of the lost entry: a reader
    /// at that position must not take this history for the one that it knew.
    static let restore = RedisScript(
        put + """
            local ids = {}
            local other = 524288 + tonumber(redis.call('TIME')[2]) % 524288
            for i = 3, #ARGV, 5 do
                local digest, ms, sequence, rest = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3]
                local before = known(digest) or {ms = -1, sequence = -1}
                local new_ms, new_sequence = tonumber(ms), tonumber(sequence)
                if before.ms < new_ms or (before.ms == new_ms and before.sequence < new_sequence) then
                    local version = ms .. '-' .. sequence
                    count()
                    if new_sequence >= 524288 then new_ms = new_ms + 1 end
                    local id = redis.pcall('XADD', KEYS[3], 'MAXLEN', '~', ARGV[1],
                        string.format('%.0f-%.0f', new_ms, other), 't', ARGV[2], 'd', digest, 'r', rest, 'v', version)
                    if type(id) == 'table' then id = add('*', 'd', digest, 'r', rest, 'v', version) end
                    record(digest, version, rest, ARGV[i + 4])
                    ids[#ids + 1] = id
                end
            end
            return ids
            """
    )

    /// `KEYS`: records, expiry. `ARGV`: now, the maximum number. Returns how many were removed.
    static let removeExpired = RedisScript(
        """
        local digests = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', ARGV[1], 'LIMIT', 0, ARGV[2])
        if #digests > 0 then
            redis.call('HDEL', KEYS[1], unpack(digests))
            redis.call('ZREM', KEYS[2], unpack(digests))
        end
        return #digests
        """
    )

    /// `KEYS`: the value. `ARGV`: the expected content, the new one, and its milliseconds or 0 to keep the remaining
    /// ones.
    static let replace = RedisScript(
        """
        if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
        if ARGV[3] == '0' then redis.call('SET', KEYS[1], ARGV[2], 'KEEPTTL') else
            redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
        end
        return 1
        """
    )

    /// `KEYS`: the lease, the last fencing token. `ARGV`: the holder, milliseconds. Returns the fencing token: the time
    /// in microseconds, or one more than the last, so that a server that lost its data continues above it.
    static let acquire = RedisScript(
        """
        if redis.call('EXISTS', KEYS[1]) == 1 then return false end
        local time = redis.call('TIME')
        local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
        local token = redis.call('INCR', KEYS[2])
        if token < now then
            token = now
            redis.call('SET', KEYS[2], string.format('%.0f', token))
        end
        redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
        return string.format('%.0f', token)
        """
    )

    /// `KEYS`: the lease. `ARGV`: the holder, milliseconds.
    static let renew = RedisScript(
        """
        if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
        return redis.call('PEXPIRE', KEYS[1], ARGV[2])
        """
    )

    /// `KEYS`: the lease, the value. `ARGV`: the holder, the value, its milliseconds or 0 for no expiry.
    static let setHolding = RedisScript(
        """
        if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
        if ARGV[3] == '0' then redis.call('SET', KEYS[2], ARGV[2]) else
            redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[3])
        end
        return 1
        """
    )

    /// `KEYS`: the lease. `ARGV`: the holder.
    static let release = RedisScript(
        """
        if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
        return redis.call('DEL', KEYS[1])
        """
    )
}
