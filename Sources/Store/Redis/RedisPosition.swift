import Redis

/// A position in both streams, and the number of changes until then: `change/announcement/count/added`.
struct RedisPosition: Sendable, Hashable {
    var change: RedisStreamID
    var announcement: RedisStreamID
    var tally: RedisChangeCount

    static let keys = [RedisKeys.changes, RedisKeys.announcements, RedisKeys.changeCount]

    var position: StorePosition {
        let added = tally.added.map { "\($0)" } ?? ""
        return StorePosition("\(change.text)/\(announcement.text)/\(tally.count)/\(added)")
    }

    init?(_ position: StorePosition) {
        let parts = position.text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count == 4, let change = RedisStreamID(parts[0]), let announcement = RedisStreamID(parts[1]),
            let count = UInt64(digits: parts[2])
        else { return nil }
        let added = UInt64(digits: parts[3])
        guard added != nil || parts[3].isEmpty else { return nil }
        self.init(change: change, announcement: announcement, tally: RedisChangeCount(count: count, added: added))
    }

    init(change: RedisStreamID, announcement: RedisStreamID, tally: RedisChangeCount) {
        self.change = change
        self.announcement = announcement
        self.tally = tally
    }

    /// The current end of the streams.
    static func current(_ client: RedisClient) async throws(StoreError) -> RedisPosition {
        let command = RedisScripts.currentPosition.command(keys: keys, arguments: [])
        let replies = try await RedisStore.exchange([command], with: client)
        guard let parts = replies.first?.array, parts.count == 4,
            let change = parts[0].bytes.flatMap({ RedisStreamID($0) }),
            let announcement = parts[1].bytes.flatMap({ RedisStreamID($0) })
        else { throw .unexpected("the query for the positions of the streams") }
        let tally = try RedisChangeCount(count: parts[2], added: parts[3])
        return RedisPosition(change: change, announcement: announcement, tally: tally)
    }
}

/// The number of changes, counted twice: a reader that has seen fewer has missed some, wherever in the stream they were
/// trimmed or deleted.
struct RedisChangeCount: Sendable, Hashable {
    /// Counted by the scripts that make changes, beside the stream: it continues when only the stream is deleted, and
    /// starts at the time, so that it differs after all data was lost. 0 before the first change.
    var count: UInt64
    /// Counted by the stream for all writers, including gateways before ``count`` existed. Nil if the server is older
    /// than Redis 7.
    var added: UInt64?

    init(count: UInt64, added: UInt64?) {
        self.count = count
        self.added = added
    }

    /// - Parameters:
    ///   - count: The key's value, or null.
    ///   - added: An integer, or null.
    init(count: RedisReply, added: RedisReply) throws(StoreError) {
        let number = count.isNull ? 0 : count.bytes.flatMap { UInt64(digits: $0) }
        guard let number else { throw .garbled("\(RedisKeys.changeCount) is no number") }
        self.init(count: number, added: added.integer.flatMap { UInt64(exactly: $0) })
    }
}

/// The state of the stream of changes at one read.
struct RedisStreamState: Sendable {
    /// Whether the entry of the reader's position exists.
    var hasPosition: Bool
    /// Whether all entries exist that were acknowledged to this instance and not read by it yet.
    var hasAcknowledged: Bool
    /// The last ID that was assigned; zero if the stream does not exist.
    var last: RedisStreamID
    var tally: RedisChangeCount

    /// Whether the changes that were read are all changes after the position, or the first of them.
    ///
    /// - Parameters:
    ///   - read: How many were read.
    ///   - page: If so many were read there may be more.
    /// - Returns: The count up to the last of them; nil if a missing change cannot be excluded.
    func tally(
        after position: RedisPosition,
        reading read: Int,
        page: Int = StoreChanges.fullPage
    ) -> RedisChangeCount? {
        // Another history may have as many changes: a new master may lack the last ones, and have others.
        let isSameHistory = hasPosition || position.change == last || position.change == .zero
        guard isSameHistory, hasAcknowledged, let read = UInt64(exactly: read), tally.count >= position.tally.count
        else {
            return nil
        }
        let counted = tally.count - position.tally.count
        let made: UInt64
        if let before = position.tally.added, let now = tally.added {
            // A gateway of an earlier version adds without counting. But if there was no entry at the position yet, the
            // count alone distinguishes this history from another.
            guard now >= before, counted <= now - before else { return nil }
            made = now - before
            guard position.change != .zero || counted == made else { return nil }
        } else {
            made = counted
        }
        if read == made { return tally }
        guard read >= page, read < made else { return nil }
        return RedisChangeCount(
            count: position.tally.count + min(read, counted),
            added: position.tally.added.map { $0 + read }
        )
    }
}
