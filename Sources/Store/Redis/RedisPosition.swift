import Redis

/// A place in both streams, and what was counted of changes until then: `change/announcement/count/added`.
struct RedisPosition: Sendable, Hashable {
    var change: RedisStreamID
    var announcement: RedisStreamID
    var tally: RedisTally

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
        self.init(change: change, announcement: announcement, tally: RedisTally(count: count, added: added))
    }

    init(change: RedisStreamID, announcement: RedisStreamID, tally: RedisTally) {
        self.change = change
        self.announcement = announcement
        self.tally = tally
    }

    /// Where the streams are now.
    static func current(_ client: RedisClient) async throws(StoreError) -> RedisPosition {
        let command = RedisScripts.currentPosition.command(keys: keys, arguments: [])
        let replies = try await RedisStore.exchange([command], with: client)
        guard let parts = replies.first?.array, parts.count == 4,
            let change = parts[0].bytes.flatMap({ RedisStreamID($0) }),
            let announcement = parts[1].bytes.flatMap({ RedisStreamID($0) })
        else { throw .unexpected("the question where the streams are") }
        let tally = try RedisTally(count: parts[2], added: parts[3])
        return RedisPosition(change: change, announcement: announcement, tally: tally)
    }
}

/// How many changes there were, counted twice: a reader that has seen fewer has missed some, wherever in the stream they
/// were trimmed or deleted.
struct RedisTally: Sendable, Hashable {
    /// By the scripts that make changes, beside the stream: it goes on when the stream alone is deleted, and begins with
    /// the time, so that it is another one after all data was lost. 0: there was no change yet.
    var count: UInt64
    /// By the stream, whoever added to it, gateways before ``count`` was kept included. Nil: the server is older than
    /// Redis 7.
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

/// What one look found the stream of changes to be.
struct RedisStreamState: Sendable {
    /// Whether the entry of the reader's position is there.
    var hasPosition: Bool
    /// Whether all entries are there that were acknowledged to this instance and that it has not read.
    var hasAcknowledged: Bool
    /// The ID that was given out last; zero for a stream that is not there.
    var last: RedisStreamID
    var tally: RedisTally

    /// Whether the changes that were read are all that were made after the position, or the first of them.
    ///
    /// - Parameters:
    ///   - read: How many there were.
    ///   - page: Where so many were read there may be more.
    /// - Returns: What was counted up to the last of them; nil: it cannot be told that none is missing.
    func tally(
        after place: RedisPosition,
        reading read: Int,
        page: Int = StoreNews.fullPage
    ) -> RedisTally? {
        // Another history may have as many changes: a server that took over without the last ones, and took others.
        let isSameHistory = hasPosition || place.change == last || place.change == .zero
        guard isSameHistory, hasAcknowledged, let read = UInt64(exactly: read), tally.count >= place.tally.count else {
            return nil
        }
        let counted = tally.count - place.tally.count
        let made: UInt64
        if let before = place.tally.added, let now = tally.added {
            // A gateway of an earlier version adds without counting. But where there was no entry yet to stand behind,
            // the count alone tells this history from another.
            guard now >= before, counted <= now - before else { return nil }
            made = now - before
            guard place.change != .zero || counted == made else { return nil }
        } else {
            made = counted
        }
        if read == made { return tally }
        guard read >= page, read < made else { return nil }
        return RedisTally(count: place.tally.count + min(read, counted), added: place.tally.added.map { $0 + read })
    }
}
