public import Logging
public import Store
import Synchronization
public import Tenants
public import Time

/// Keeps events and logouts in the store until their receivers have answered, and sends them, on whichever instance
/// claims them.
///
/// - What ends something (``write(_:)-(Event)``) is in the store before that, or whoever asked for it is told to ask
///   again.
/// - What begins something (``keep(_:)``) is in the store before whoever asked for it is answered, or in a bounded
///   buffer if the store has failed just then.
/// - What happens often (``note(_:)``) goes through a bounded buffer: a request waits for neither store nor receiver,
///   and a crash costs what was noted in the last second.
public final class EventOutbox: Sendable {
    /// The maximum number of events on their way to the store.
    static let mostBuffered = 10_000
    /// How many streams are written at once.
    static let mostWritten = 16

    struct Configuration: Sendable {
        var types: Set<EventType> = []
        var hasLogouts = false
        var receivers: [OutboxChannel: any OutboxReceiver] = [:]
    }

    /// What sends the messages of each channel.
    private let deliveries: [OutboxChannel: OutboxDelivery]
    private let records: [OutboxChannel: OutboxRecords]
    public let counts: OutboxCounts
    private let logger: Logger
    private let now: @Sendable () -> UnixTime
    private let buffer: EventBuffer
    private let turns = StreamTurns()
    private let losses = Mutex(LossLog())
    private let configuration = Mutex(Configuration())

    public convenience init(
        store: any Store,
        transport: any OutboxTransport,
        logger: Logger,
        now: @escaping @Sendable () -> UnixTime = { Clock.unix() }
    ) {
        self.init(store: store, transport: transport, limits: Limits(), logger: logger, now: now)
    }

    /// For tests.
    struct Limits: Sendable {
        var buffered = EventOutbox.mostBuffered
        /// Of the streams of a channel; nil: the channel's own.
        var streams: Int?
        /// 0 to 1.
        var jitter: @Sendable () -> Double = { Double.random(in: 0...1) }
    }

    init(
        store: any Store,
        transport: any OutboxTransport,
        limits: Limits,
        logger: Logger,
        now: @escaping @Sendable () -> UnixTime
    ) {
        let counts = OutboxCounts()
        var records: [OutboxChannel: OutboxRecords] = [:]
        var deliveries: [OutboxChannel: OutboxDelivery] = [:]
        for channel in OutboxChannel.allCases {
            let own = OutboxRecords(
                store: store,
                channel: channel,
                most: limits.streams,
                counts: counts,
                logger: logger
            )
            records[channel] = own
            deliveries[channel] = OutboxDelivery(
                own,
                transport: transport,
                counts: counts,
                logger: logger,
                now: now,
                jitter: limits.jitter
            )
        }
        self.records = records
        self.deliveries = deliveries
        self.counts = counts
        self.logger = logger
        self.now = now
        buffer = EventBuffer(most: limits.buffered)
    }
}

// MARK: - Configuration

extension EventOutbox {
    /// Puts another configuration into force.
    ///
    /// - Parameters:
    ///   - settings: Nil: events are neither kept nor sent.
    ///   - issuers: Those with clients that are told of logouts, by the tenant's name.
    public func adopt(_ settings: EventSettings?, issuers: [String: LogoutIssuer]) {
        var new = Configuration()
        if let settings {
            let receiver = WebhookReceiver(settings)
            new.types = Set(settings.types)
            new.receivers[.events] = receiver
            new.receivers[.refused] = receiver
        }
        new.hasLogouts = !issuers.isEmpty
        new.receivers[.logouts] = LogoutReceiver(issuers: issuers)
        let adopted = new
        configuration.withLock { $0 = adopted }
    }

    /// Whether anybody is told of such events: if not, none need be made.
    public func wants(_ type: EventType) -> Bool { configuration.withLock { $0.types.contains(type) } }

    /// Whether anybody is told of events or logouts.
    public var isUsed: Bool { configuration.withLock { !$0.types.isEmpty || $0.hasLogouts } }
}

// MARK: - What happens

extension EventOutbox {
    /// Keeps an event. When this returns it is as durable as the store; if the store has failed it waits in the buffer.
    public func keep(_ event: Event) async {
        do throws(StoreError) {
            try await write(event, waitsInBuffer: true)
        } catch {
            logger.warning(
                "an event cannot be stored yet",
                metadata: ["type": "\(event.type.rawValue)", "reason": "\(error)"]
            )
        }
    }

    /// Writes an event. When this returns it is as durable as the store.
    ///
    /// - Throws: If the store has failed: then it is lost, unless whoever reports it does so again.
    public func write(_ event: Event) async throws(StoreError) { try await write(event, waitsInBuffer: false) }

    /// Notes an event, which is soon in the store. It waits for nothing.
    public func note(_ event: Event) {
        guard wants(event.type) else { return }
        account(for: buffer.add(event, toStream: event.streamID))
    }

    /// Writes a logout that a client is told of. When this returns it is as durable as the store.
    ///
    /// - Throws: If the store has failed: then the client is not told, unless whoever reports it does so again.
    public func write(_ logout: ClientLogout) async throws(StoreError) {
        guard let records = records[.logouts] else { return }
        let message = logout.message(at: now())
        switch try await records.add([message], to: logout.streamID, tenant: logout.tenant, at: now()) {
        case .added(let displaced): drop(displaced.dropped, "it is too long")
        case .full: drop([message], "there are too many")
        }
    }

    /// Writes what was noted.
    public func flush() async {
        await withTaskGroup(of: Bool.self) { group in
            var (left, failures) = (buffer.streams()[...], 0)
            for id in left.prefix(Self.mostWritten) { group.addTask { await self.flush(id) } }
            left = left.dropFirst(Self.mostWritten)
            while let isStored = await group.next() {
                if !isStored { failures += 1 }
                // The store has failed: the rest stays where it is.
                guard failures < Self.mostWritten else { continue }
                if let id = left.popFirst() { group.addTask { await self.flush(id) } }
            }
        }
    }

    /// - Returns: Whether the store has taken what there was.
    private func flush(_ id: String) async -> Bool {
        await turns.begin(id)
        defer { turns.end(id) }
        let events = buffer.take(ofStream: id)
        guard !events.isEmpty else { return true }
        do throws(StoreError) {
            try await store(events, id)
            return true
        } catch {
            account(for: buffer.putBack(events, toStream: id))
            return false
        }
    }

    private func write(_ event: Event, waitsInBuffer: Bool) async throws(StoreError) {
        guard wants(event.type) else { return }
        let id = event.streamID
        await turns.begin(id)
        defer { turns.end(id) }
        // What the session has had before comes first.
        let earlier = buffer.take(ofStream: id)
        do throws(StoreError) {
            try await store(earlier + [event], id)
        } catch {
            account(for: buffer.putBack(waitsInBuffer ? earlier + [event] : earlier, toStream: id))
            throw error
        }
    }

    /// - Parameter events: Of one stream.
    private func store(_ events: [Event], _ id: String) async throws(StoreError) {
        guard let first = events.first, let records = records[first.channel] else { return }
        let messages = events.map(\.message)
        switch try await records.add(messages, to: id, tenant: first.tenant, at: now()) {
        case .added(let displaced):
            for message in displaced.replaced { counts.count(message.content, .replaced) }
            drop(displaced.dropped, "there are too many of one session")
        case .full: drop(messages, "there are too many")
        }
    }

    /// Counts what the buffer has no room for.
    private func account(for displaced: Displaced<Event>) {
        for event in displaced.replaced { counts.count(.event(event.type), .replaced) }
        drop(displaced.dropped.map(\.message), "the store is too slow, or has failed")
    }

    private func drop(_ messages: [OutboxMessage], _ reason: String) {
        guard let first = messages.first else { return }
        for message in messages { counts.count(message.content, .dropped) }
        guard let count = losses.withLock({ $0.add(messages.count, reason, at: now()) }) else { return }
        logger.error(
            "events are lost",
            metadata: ["type": "\(first.content.label)", "count": "\(count)", "reason": "\(reason)"]
        )
    }
}

// MARK: - Sending

extension EventOutbox {
    /// Sends what is due in all channels, and returns when that is done or has failed.
    public func work() async {
        await flush()
        await withDiscardingTaskGroup { group in
            for channel in OutboxChannel.allCases { group.addTask { await self.work(on: channel) } }
        }
    }

    private func work(on channel: OutboxChannel) async { await deliveries[channel]?.work(for: receiver(of: channel)) }

    private func receiver(of channel: OutboxChannel) -> (any OutboxReceiver)? {
        configuration.withLock { $0.receivers[channel] }
    }

    /// Stores and sends until the task is cancelled: what is under way then is repeated by whoever goes on.
    public func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.flushRepeatedly() }
            for channel in OutboxChannel.allCases {
                group.addTask { await self.deliveries[channel]?.run { self.receiver(of: channel) } }
            }
        }
    }

    private func flushRepeatedly() async {
        while !Task.isCancelled {
            guard (try? await Task.sleep(for: .seconds(1), tolerance: .milliseconds(200))) != nil else { return }
            await flush()
        }
    }
}
