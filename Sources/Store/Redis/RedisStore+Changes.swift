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

    public func changes(
        after position: StorePosition,
        waiting duration: Duration
    ) async throws(StoreError) -> StoreChanges {
        guard let position = RedisPosition(position), !witness.withLock({ $0.needsLoad }) else { return .missed }
        let client = try clients().changes
        let connection = client.connectionNumber
        // The wait comes before the check that the history is complete. So for a connection that has not responded yet,
        // or a position that it did not return, check first without waiting.
        let canWait = duration >= .milliseconds(1)
        if !canWait || !witness.withLock({ $0.isProved(position, connection) }) {
            let changes = try await read(after: position, waiting: nil, client)
            guard canWait, case .changes([], [], _) = changes else { return changes }
        }
        let changes = try await read(after: position, waiting: duration, client)
        if case .changes(_, _, let next) = changes, let next = RedisPosition(next) {
            witness.withLock { $0.proved(next, connection) }
        }
        return changes
    }

    /// Waits for an entry, if requested, and reads both streams in one step together with the proof that nothing in
    /// between is missing.
    private func read(
        after position: RedisPosition,
        waiting duration: Duration?,
        _ client: RedisClient
    ) async throws(StoreError) -> StoreChanges {
        let unread = witness.withLock { $0.unread }
        let arguments: [any RedisArgument] = [
            position.change.text, position.announcement.text, RevocationLimits.changesPerCall,
        ]
        let read = RedisScripts.read.command(keys: RedisPosition.keys, arguments: arguments + unread.map(\.text))
        var commands = [read]
        if let duration {
            // The script reads the same entries again, because scripts cannot wait.
            var wait = RedisCommand("XREAD", "COUNT", 1, "BLOCK", Int64(duration.seconds * 1000))
            for argument in ["STREAMS", RedisKeys.changes, RedisKeys.announcements] { wait.append(argument) }
            wait.append(position.change.text)
            wait.append(position.announcement.text)
            commands.insert(wait, at: 0)
        }
        let replies = try await Self.exchange(
            commands,
            with: client,
            timeout: configuration.commandTimeout + (duration ?? .zero)
        )
        guard let reply = replies.last else { throw .unexpected("XREAD") }
        return try changes(RedisHistoryPage(reply, unread: unread.count), after: position, unread: unread)
    }

    private func changes(
        _ page: RedisHistoryPage,
        after position: RedisPosition,
        unread: [RedisStreamID]
    ) throws(StoreError) -> StoreChanges {
        guard let tally = page.state.tally(after: position, reading: page.changes.count) else {
            return .missed
        }
        var next = position
        next.tally = tally
        var changes: [RevocationRecord] = []
        for entry in page.changes {
            guard let record = entry.record else {
                unreadable.foundChange(entry.id.text)
                return .missed
            }
            changes.append(record)
            next.change = entry.id
        }
        if let last = page.announcements.last { next.announcement = last.id }
        witness.withLock { $0.read(upTo: next.change, having: unread) }
        // An invalid announcement counts as lost, which announcements may be.
        return .changes(changes, page.announcements.compactMap(\.announcement), next.position)
    }
}

/// The reply to ``RedisScripts/read``.
private struct RedisHistoryPage {
    private(set) var changes: [RedisEntry] = []
    private(set) var announcements: [RedisEntry] = []
    let state: RedisStreamState

    /// - Parameter unread: How many other IDs were requested.
    init(_ reply: RedisReply, unread: Int) throws(StoreError) {
        guard let parts = reply.array, parts.count == 6, let hasPosition = parts[1].integer,
            let found = parts[2].integer, let last = parts[3].bytes.flatMap({ RedisStreamID($0) })
        else { throw .unexpected("the streams") }
        state = RedisStreamState(
            hasPosition: hasPosition > 0,
            hasAcknowledged: found == unread,
            last: last,
            tally: try RedisChangeCount(count: parts[4], added: parts[5])
        )
        guard !parts[0].isNull else { return }
        guard let streams = parts[0].array else { throw .unexpected("XREAD") }
        for stream in streams {
            guard let parts = stream.array, parts.count == 2, let name = parts[0].bytes, let entries = parts[1].array
            else { throw .unexpected("XREAD") }
            if name.elementsEqual(RedisKeys.changes.utf8) {
                for entry in entries { changes.append(try RedisEntry(entry)) }
            } else {
                for entry in entries { announcements.append(try RedisEntry(entry)) }
            }
        }
    }
}

/// An entry of one of the streams.
private struct RedisEntry {
    let id: RedisStreamID
    private var fields: [String: [UInt8]] = [:]

    init(_ reply: RedisReply) throws(StoreError) {
        guard let parts = reply.array, parts.count == 2, let id = parts[0].bytes.flatMap({ RedisStreamID($0) }),
            let pairs = parts[1].array, pairs.count % 2 == 0
        else { throw .unexpected("XREAD") }
        self.id = id
        for index in stride(from: 0, to: pairs.count, by: 2) {
            guard let name = pairs[index].bytes, let value = pairs[index + 1].bytes else {
                throw .unexpected("XREAD")
            }
            fields[String(decoding: name, as: UTF8.self)] = value
        }
    }

    /// As written by the scripts of ``RedisScripts``, with any further fields; nil if it is unreadable.
    var record: RevocationRecord? {
        let versionID = if let version = fields["v"] { RedisStreamID(version) } else { id }
        guard let tenant = fields["t"], let digest = fields["d"], let line = fields["r"],
            let version = versionID?.version
        else { return nil }
        return try? RevocationRecordCodec.read(
            line,
            version: version,
            tenant: String(decoding: tenant, as: UTF8.self),
            digest: digest
        )
    }

    /// Nil if it is not an announcement.
    var announcement: Announcement? {
        guard let topic = fields["topic"], let subject = fields["subject"] else { return nil }
        return Announcement(
            topic: String(decoding: topic, as: UTF8.self),
            subject: String(decoding: subject, as: UTF8.self)
        )
    }
}
