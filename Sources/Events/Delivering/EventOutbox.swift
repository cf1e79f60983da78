public import Logging
public import Store
import Synchronization
public import Tenants
public import Time

/// Keeps events and logouts in the store until their receivers have answered, and sends them, on whichever instance
/// claims them.
///
/// - What ends or begins something (``keep(_:)-(Event)``) is in the store before whoever asked for it is answered.
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
            let own = OutboxRecords(store: store, channel: channel, most: limits.streams, logger: logger)
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
        guard wants(event.type) else { return }
        let id = event.streamID
        // What the session has had before comes first.
        let events = buffer.take(ofStream: id) + [event]
        do throws(StoreError) {
            try await store(events, id)
        } catch {
            logger.warning(
                "an event cannot be stored yet",
                metadata: ["type": "\(event.type.rawValue)", "reason": "\(error)"]
            )
            drop(buffer.putBack(events))
        }
    }

    /// Notes an event, which is soon in the store. It waits for nothing.
    public func note(_ event: Event) {
        guard wants(event.type) else { return }
        if !buffer.add(event) { drop([event]) }
    }

    /// Keeps a logout that a client is told of. When this returns it is as durable as the store.
    public func keep(_ logout: ClientLogout) async {
        guard let records = records[.logouts] else { return }
        let message = logout.message(at: now())
        do throws(StoreError) {
            let addition = try await records.add([message], to: logout.streamID, tenant: logout.tenant, at: now())
            if addition == .full { drop([message], "there are too many") }
        } catch {
            logger.error(
                "a client is not told of a logout: the store has failed",
                metadata: ["tenant": "\(logout.tenant)", "client": "\(logout.client)", "reason": "\(error)"]
            )
            counts.count(.logout, .dropped)
        }
    }

    /// Writes what was noted.
    public func flush() async {
        let events = buffer.take()
        guard !events.isEmpty else { return }
        var grouped: [String: [Event]] = [:]
        var order: [String] = []
        for event in events {
            let id = event.streamID
            if grouped[id] == nil { order.append(id) }
            grouped[id, default: []].append(event)
        }
        let (streams, ids) = (grouped, order)
        let failed = await withTaskGroup(of: [Event].self) { group in
            var (failed, left) = ([Event](), ids[...])
            for id in left.prefix(Self.mostWritten) { group.addTask { await self.write(streams[id] ?? [], id) } }
            left = left.dropFirst(Self.mostWritten)
            while let events = await group.next() {
                failed += events
                if let id = left.popFirst() { group.addTask { await self.write(streams[id] ?? [], id) } }
            }
            return failed
        }
        if !failed.isEmpty { drop(buffer.putBack(failed.sorted { $0.time < $1.time })) }
    }

    /// - Returns: The events that could not be stored.
    private func write(_ events: [Event], _ id: String) async -> [Event] {
        do throws(StoreError) {
            try await store(events, id)
            return []
        } catch {
            return events
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

    private func drop(_ events: [Event]) { drop(events.map(\.message), "the store is too slow, or has failed") }

    private func drop(_ messages: [OutboxMessage], _ reason: String) {
        guard let first = messages.first else { return }
        for message in messages { counts.count(message.content, .dropped) }
        logger.error(
            "events are lost",
            metadata: ["type": "\(first.content.label)", "count": "\(messages.count)", "reason": "\(reason)"]
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
