import Redis
import Synchronization

extension RedisStore {
    public func announce(_ announcement: Announcement) async throws(StoreError) {
        let command = RedisCommand(
            "XADD",
            RedisKeys.announcements,
            "MAXLEN",
            "~",
            RevocationLimits.keptAnnouncements,
            "*",
            "topic",
            announcement.topic,
            "subject",
            announcement.subject
        )
        _ = try await send(command)
    }

    public func news(
        after position: StorePosition,
        waiting duration: Duration
    ) async throws(StoreError) -> StoreNews {
        guard let place = RedisPosition(position) else { return .missed }
        let client = try clients().news
        let connection = client.connectionNumber
        // Whether the history is whole is asked with every read, but the answer comes after the wait. So a connection
        // that has not answered yet, or a position that it did not give, is asked without a wait first.
        let canWait = duration >= .milliseconds(1)
        if !canWait || !witness.withLock({ $0.isProved(place, connection) }) {
            let news = try await look(after: place, waiting: nil, client)
            guard canWait, case .changes([], [], _) = news else { return news }
        }
        let news = try await look(after: place, waiting: duration, client)
        if case .changes(_, _, let next) = news, let next = RedisPosition(next) {
            witness.withLock { $0.proved(next, connection) }
        }
        return news
    }

    /// One read of both streams and, after it, whether what was to come before is still there: what is trimmed is
    /// trimmed from the front, so that nothing in between can be missing then.
    private func look(
        after place: RedisPosition,
        waiting duration: Duration?,
        _ client: RedisClient
    ) async throws(StoreError) -> StoreNews {
        let latest = witness.withLock { $0.latest }
        var read = RedisCommand("XREAD", "COUNT", RevocationLimits.news)
        if let duration {
            read.append("BLOCK")
            read.append(Int64(duration.seconds * 1000))
        }
        for word in ["STREAMS", RedisKeys.changes, RedisKeys.announcements] { read.append(word) }
        read.append(place.change.text)
        read.append(place.announcement.text)
        let replies = try await Self.exchange(
            [
                read, Self.entry(place.change), Self.entry(latest), RedisCommand("XLEN", RedisKeys.changes),
            ],
            with: client,
            timeout: configuration.commandTimeout + (duration ?? .zero)
        )
        guard let length = replies[3].integer else { throw .unexpected("XLEN") }
        // Before the first change there is no entry to look for; but nothing is trimmed while there are so few.
        let isThere = place.change == .zero ? length < keptChanges : replies[1] != .array([])
        let hasLatest = latest <= place.change || replies[2] != .array([])
        guard isThere, hasLatest else { return .missed }
        return replies[0].isNull ? .changes([], [], place.position) : try news(replies[0], after: place)
    }

    private static func entry(_ id: RedisStreamID) -> RedisCommand {
        RedisCommand("XRANGE", RedisKeys.changes, id.text, id.text)
    }

    private func news(_ reply: RedisReply, after place: RedisPosition) throws(StoreError) -> StoreNews {
        guard let streams = reply.array else { throw .unexpected("XREAD") }
        var next = place
        var changes: [RevocationRecord] = []
        var announcements: [Announcement] = []
        for stream in streams {
            guard let parts = stream.array, parts.count == 2, let name = parts[0].bytes, let entries = parts[1].array
            else { throw .unexpected("XREAD") }
            for entry in entries {
                let entry = try RedisEntry(entry)
                if name.elementsEqual(RedisKeys.changes.utf8) {
                    guard let record = entry.record else {
                        unreadable.foundChange(entry.id.text)
                        return .missed
                    }
                    changes.append(record)
                    next.change = entry.id
                } else {
                    // One that means nothing is as good as lost, which announcements may be.
                    if let announcement = entry.announcement { announcements.append(announcement) }
                    next.announcement = entry.id
                }
            }
        }
        witness.withLock { $0.saw(next.change) }
        return .changes(changes, announcements, next.position)
    }
}

/// An entry of one of the streams.
private struct RedisEntry {
    let id: RedisStreamID
    private var fields: [String: [UInt8]] = [:]

    init(_ reply: RedisReply) throws(StoreError) {
        guard let parts = reply.array, parts.count == 2, let id = parts[0].bytes.flatMap({ RedisStreamID($0) }),
            let words = parts[1].array, words.count % 2 == 0
        else { throw .unexpected("XREAD") }
        self.id = id
        for index in stride(from: 0, to: words.count, by: 2) {
            guard let name = words[index].bytes, let value = words[index + 1].bytes else {
                throw .unexpected("XREAD")
            }
            fields[String(decoding: name, as: UTF8.self)] = value
        }
    }

    /// As the scripts of ``RedisScripts`` wrote it, whatever fields there are beside; nil: it cannot be read.
    var record: RevocationRecord? {
        let versionID = if let version = fields["v"] { RedisStreamID(version) } else { id }
        guard let tenant = fields["t"], let digest = fields["d"], let line = fields["r"],
            let version = versionID?.version
        else { return nil }
        return try? RevocationLine.read(
            line,
            version: version,
            tenant: String(decoding: tenant, as: UTF8.self),
            digest: digest
        )
    }

    /// Nil: it is none.
    var announcement: Announcement? {
        guard let topic = fields["topic"], let subject = fields["subject"] else { return nil }
        return Announcement(
            topic: String(decoding: topic, as: UTF8.self),
            subject: String(decoding: subject, as: UTF8.self)
        )
    }
}

/// A place in both streams: `change/announcement`.
struct RedisPosition: Sendable, Hashable {
    var change: RedisStreamID
    var announcement: RedisStreamID

    var position: StorePosition { StorePosition("\(change.text)/\(announcement.text)") }

    init?(_ position: StorePosition) {
        let parts = position.text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count == 2, let change = RedisStreamID(parts[0]), let announcement = RedisStreamID(parts[1]) else {
            return nil
        }
        self.init(change: change, announcement: announcement)
    }

    private init(change: RedisStreamID, announcement: RedisStreamID) {
        self.change = change
        self.announcement = announcement
    }

    /// Where the streams are now.
    static func last(_ client: RedisClient) async throws(StoreError) -> RedisPosition {
        let commands = [RedisKeys.changes, RedisKeys.announcements].map {
            RedisCommand("XREVRANGE", $0, "+", "-", "COUNT", 1)
        }
        var ids: [RedisStreamID] = []
        for reply in try await RedisStore.exchange(commands, with: client) {
            guard let entries = reply.array else { throw .unexpected("XREVRANGE") }
            ids.append(try entries.first.map { entry throws(StoreError) in try RedisEntry(entry).id } ?? .zero)
        }
        return RedisPosition(change: ids[0], announcement: ids[1])
    }
}
