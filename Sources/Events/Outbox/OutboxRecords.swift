import Logging
import Store
import Time

/// The streams of one channel in the store, with what finds them:
///
/// - a stream under its ID,
/// - a place in a queue, by the time at which somebody has to look at it next.
///
/// Both change in one step, by compare-and-set of the stream: a stream is always in the queue once.
///
/// A stream that cannot be read is set aside, by the time of that, where an operator finds it until it expires.
struct OutboxRecords: Sendable {
    /// A stream as read, with the bytes to compare when it is changed.
    struct Stored: Sendable {
        let stream: OutboxStream
        fileprivate let bytes: [UInt8]
    }

    enum Addition: Sendable, Equatable {
        /// - Parameter displaced: Messages that had to go for it, or the message itself.
        case added(Displaced<OutboxMessage>)
        /// There are as many streams as are kept for such messages.
        case full
    }

    /// The maximum number of streams that are set aside; further ones are removed.
    static let mostAside = 100

    /// How often a change is retried after others got in first; each retry means that one of them made progress.
    private static let mostTries = 64

    let store: any Store
    let channel: OutboxChannel
    private let counts: OutboxCounts
    let logger: Logger
    /// The maximum number of streams.
    private let most: Int
    /// Of all, and of those that leave the rest to what is more important.
    private let room = (ends: RoomCheck(), others: RoomCheck())

    init(
        store: any Store,
        channel: OutboxChannel,
        most: Int? = nil,
        counts: OutboxCounts = OutboxCounts(),
        logger: Logger
    ) {
        self.store = store
        self.channel = channel
        self.most = most ?? channel.mostStreams
        self.counts = counts
        self.logger = logger
    }

    private var streams: StoreCollection { StoreCollection("outbox-\(channel.rawValue)") }
    private var queue: StoreCollection { StoreCollection("outbox-\(channel.rawValue)-due") }
    private var aside: StoreCollection { StoreCollection("outbox-\(channel.rawValue)-unreadable") }

    func read(_ id: String) async throws(StoreError) -> Stored? {
        guard let entry = try await store.entries([id], of: streams).first else { return nil }
        guard let stream = OutboxStream(json: entry.value), stream.id == id else {
            throw .garbled("stream \(id) of the outbox cannot be read")
        }
        return Stored(stream: stream, bytes: entry.value)
    }

    /// Adds messages to a stream, which is usually a new one: that takes one call of the store.
    ///
    /// The last tenth of the streams is kept for those that end something.
    func add(
        _ messages: [OutboxMessage],
        to id: String,
        tenant: String,
        at now: UnixTime
    ) async throws(StoreError) -> Addition {
        let new = OutboxStream(id: id, channel: channel, tenant: tenant, at: now)
        let hasEnd = messages.contains { $0.importance == .end }
        let (most, room) = hasEnd || channel != .events ? (most, room.ends) : (most * 9 / 10, room.others)
        var stored: Stored?
        for attempt in 0..<Self.mostTries {
            if attempt > 0 { stored = try await readForAddition(id, at: now) }
            var stream = stored?.stream ?? new
            var displaced = Displaced<OutboxMessage>()
            for message in messages {
                guard case .added(let further) = stream.add(message) else { continue }
                displaced.dropped += further.dropped
                displaced.replaced += further.replaced
            }
            // A local store counts its entries anew for each check.
            let checks = stored == nil && (!store.isLocal || room.isDue(outOf: most))
            switch try await store.change(changes(from: stored, to: stream, most: checks ? most : nil)) {
            case .done:
                if checks { room.found(isFull: false) }
                return .added(displaced)
            case .full:
                room.found(isFull: true)
                return .full
            case .unmet: continue
            }
        }
        throw .unavailable("stream \(id) of the outbox changes too often to be updated")
    }

    /// What cannot be read must not keep new messages out for ever.
    private func readForAddition(_ id: String, at now: UnixTime) async throws(StoreError) -> Stored? {
        do throws(StoreError) {
            return try await read(id)
        } catch .garbled(_) {
            try await setAside(id, at: now)
            return nil
        } catch {
            throw error
        }
    }

    /// Puts a stream that cannot be read where nobody tries to, and counts it as dropped.
    ///
    /// - Parameter place: Its place in the queue, which goes; nil if that is not known.
    func setAside(_ id: String, place: String? = nil, at now: UnixTime) async throws(StoreError) {
        let removal = place.map { [EntryChange(queue, $0, to: nil)] } ?? []
        guard let entry = try await store.entries([id], of: streams).first, OutboxStream(json: entry.value)?.id != id
        else { return }
        let taken = EntryChange(streams, id, if: .value(entry.value), to: nil)
        let kept = EntryChange(aside, "\(Self.digits(now))-\(id)", to: entry.value, most: Self.mostAside)
        switch try await store.change([taken, kept] + removal) {
        case .unmet: return
        case .full: guard try await store.change([taken] + removal) == .done else { return }
        case .done: break
        }
        counts.countUnreadable(in: channel)
        logger.error(
            "messages in the outbox cannot be read and are lost",
            metadata: ["stream": "\(id)", "collection": "\(aside.name)"]
        )
    }

    /// Removes what was set aside for as long as a message is kept.
    func removeAside(at now: UnixTime) async throws(StoreError) {
        for entry in try await store.entries(of: aside, after: nil, limit: Self.mostAside) {
            let time = entry.name.split(separator: "-", maxSplits: 1).first.flatMap { Double($0) } ?? 0
            guard UnixTime(time) + channel.retention <= now else { return }
            _ = try await store.change([EntryChange(aside, entry.name, to: nil)])
        }
    }

    /// - Returns: Nil if it was changed meanwhile. An empty stream is removed.
    func replace(_ stored: Stored, with stream: OutboxStream) async throws(StoreError) -> Stored? {
        let changes = changes(from: stored, to: stream)
        guard !changes.isEmpty else { return stored }
        guard try await store.change(changes) == .done else { return nil }
        return Stored(stream: stream, bytes: stream.json)
    }

    /// Changes a stream as it is when the change is made.
    ///
    /// - Returns: Nil if it is gone.
    func change(_ id: String, _ change: (inout OutboxStream) -> Void) async throws(StoreError) -> OutboxStream? {
        for _ in 0..<Self.mostTries {
            guard let stored = try await read(id) else { return nil }
            var stream = stored.stream
            change(&stream)
            if try await replace(stored, with: stream) != nil { return stream }
        }
        throw .unavailable("stream \(id) of the outbox changes too often to be updated")
    }

    private func changes(from stored: Stored?, to stream: OutboxStream, most: Int? = nil) -> [EntryChange] {
        let bytes = stream.isEmpty ? nil : stream.json
        let condition = stored.map { EntryChange.Condition.value($0.bytes) } ?? .absent
        guard bytes != stored?.bytes else { return [] }
        var changes = [EntryChange(streams, stream.id, if: condition, to: bytes, most: most)]
        let (before, after) = (stored.map { Self.place(of: $0.stream) }, Self.place(of: stream))
        if let before, before.name != after.name || bytes == nil {
            changes.append(EntryChange(queue, before.name, to: nil))
        }
        if bytes != nil, before.map({ $0 != after }) ?? true {
            changes.append(EntryChange(queue, after.name, to: Array(after.value.utf8)))
        }
        return changes
    }

    // MARK: The queue

    /// One place in the queue.
    struct Place: Sendable {
        /// Its name there.
        let name: String
        let id: String
        let receiver: OutboxReceiverID
        let time: UnixTime
        /// When the oldest message of the stream was added.
        let oldest: UnixTime
    }

    /// The places in the queue, the earliest first; what is no place is removed.
    func places(after name: String?, limit: Int) async throws(StoreError) -> [Place] {
        var places: [Place] = []
        for entry in try await store.entries(of: queue, after: name, limit: limit) {
            if let place = place(entry) {
                places.append(place)
            } else {
                try await discard(entry.name)
            }
        }
        return places
    }

    /// Removes a place whose stream was delivered meanwhile, unless it has something again.
    func discardIfDone(_ place: Place) async throws(StoreError) {
        _ = try await store.change([
            EntryChange(streams, place.id, if: .absent, to: nil), EntryChange(queue, place.name, to: nil),
        ])
    }

    /// Removes an entry that is no place: it would be looked at for ever.
    private func discard(_ name: String) async throws(StoreError) {
        logger.error("an entry of the outbox cannot be read", metadata: ["entry": "\(name)"])
        _ = try await store.change([EntryChange(queue, name, to: nil)])
    }

    /// The value of a place is `OLDEST TENANT`, and of a logout ` CLIENT` besides, so that what is for others is known
    /// without reading the stream.
    private func place(_ entry: StoreEntry) -> Place? {
        let parts = entry.name.split(separator: "-", maxSplits: 1)
        let value = String(decoding: entry.value, as: UTF8.self)
            .split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let seconds = Double(parts[0]), value.count >= 2, let oldest = Double(value[0]) else {
            return nil
        }
        let receiver: OutboxReceiverID =
            switch channel {
            case .events, .refused: .webhook
            case .logouts: .client(tenant: value[1], id: value.count > 2 ? value[2] : nil)
            }
        return Place(
            name: entry.name,
            id: String(parts[1]),
            receiver: receiver,
            time: UnixTime(seconds),
            oldest: UnixTime(oldest)
        )
    }

    private static func place(of stream: OutboxStream) -> (name: String, value: String) {
        let oldest = stream.messages.map(\.createdAt).min() ?? stream.nextAt
        var value = "\(digits(oldest)) \(stream.tenant)"
        if case .client(_, let id?) = stream.receiver { value += " \(id)" }
        return ("\(digits(stream.placeTime))-\(stream.id)", value)
    }

    /// In the order of time: whole seconds with as many digits until the year 5138.
    private static func digits(_ time: UnixTime) -> String {
        let digits = String(Int(min(max(time.seconds, 0), 99_999_999_999).rounded(.down)))
        return String(repeating: "0", count: 11 - digits.count) + digits
    }
}
