import Logging
import Store
import Synchronization
import Time
import Verification

/// Sends the messages of one channel that are due.
final class OutboxDelivery: Sendable {
    /// The maximum number of messages that are sent of a stream in a row.
    private static let mostInARow = 32
    /// Seconds of a claim that have to be left for another message: more than a request takes.
    private static let reserve = 60.0
    /// Seconds between two looks at what is over, and two counts of what waits.
    private static let upkeep = 15.0
    /// Seconds between two warnings about the same failure.
    private static let quiet = 600.0

    typealias Receiver = any OutboxReceiver

    private struct Progress: Sendable {
        var plan: DeliveryPlan
        var scan = QueueScan()
        var nextUpkeep = UnixTime(0)
        /// The last place of the queue that the upkeep has read; nil for the beginning.
        var upkeepCursor: String?
        var warned: [String: UnixTime] = [:]
        /// By tenant.
        var losses = LossLog()
    }

    /// What came of one message.
    private struct Attempt: Sendable {
        let id: String
        let result: OutboxStream.Result
        let at: UnixTime
        let jitter: Double
    }

    /// What the delivery goes on after.
    private enum Step: Sendable {
        case tick
        /// A place is free.
        case done
    }

    private let records: OutboxRecords
    private let transport: any OutboxTransport
    private let counts: OutboxCounts
    private let logger: Logger
    private let now: @Sendable () -> UnixTime
    private let jitter: @Sendable () -> Double
    private let progress: Mutex<Progress>

    init(
        _ records: OutboxRecords,
        transport: any OutboxTransport,
        counts: OutboxCounts,
        logger: Logger,
        now: @escaping @Sendable () -> UnixTime,
        jitter: @escaping @Sendable () -> Double
    ) {
        self.records = records
        self.transport = transport
        self.counts = counts
        self.logger = logger
        self.now = now
        self.jitter = jitter
        var limits = DeliveryPlan.Limits()
        if records.channel == .refused { limits.webhook = ReceiverHealth.mostOfRefusals }
        progress = Mutex(Progress(plan: DeliveryPlan(limits)))
    }

    /// Sends what is due until the task is cancelled. About once a second it looks for what is new; a place that
    /// becomes free is filled at once.
    ///
    /// - Parameter receiver: Asked again each time. Nil if this instance has none: what waits is left to others until
    ///   it expires.
    func run(_ receiver: @Sendable () -> Receiver?) async {
        await withTaskGroup(of: Step.self) { group in
            Self.addTick(to: &group)
            while let step = await group.next() {
                guard !Task.isCancelled else { continue }
                if case .tick = step {
                    await tick(receiver())
                    Self.addTick(to: &group)
                }
                await fill(&group, receiver())
            }
        }
    }

    /// Sends what is due, and returns when that is done or has failed.
    func work(for receiver: Receiver?) async {
        await tick(receiver)
        await withTaskGroup(of: Step.self) { group in
            repeat { await fill(&group, receiver) } while await group.next() != nil
        }
    }

    private static func addTick(to group: inout TaskGroup<Step>) {
        group.addTask {
            try? await Task.sleep(for: .seconds(1), tolerance: .milliseconds(200))
            return .tick
        }
    }

    private func tick(_ receiver: Receiver?) async {
        let only = only
        progress.withLock { progress in
            // What one that is down has left out is first in turn when it is back.
            progress.scan.tick(fromBeginning: only != nil && progress.plan.isFull(only, at: now()))
        }
        do throws(StoreError) {
            try await keepUp()
        } catch {
            logger.debug("the outbox cannot be read", metadata: ["reason": "\(error)"])
        }
    }

    /// The receiver of all messages of the channel, if it has a single one.
    private var only: OutboxReceiverID? { records.channel == .logouts ? nil : .webhook }

    /// Fills the free places: with what waits in memory, and then with what is due in the queue.
    private func fill(_ group: inout TaskGroup<Step>, _ receiver: Receiver?) async {
        guard let receiver else { return }
        while let place = progress.withLock({ $0.plan.next(at: now()) }) { start(place, &group, receiver) }
        do throws(StoreError) {
            while let place = try await nextDue(for: receiver) {
                guard receiver.knows(place.receiver) else {
                    leave(place, for: place.receiver)
                    continue
                }
                switch progress.withLock({ $0.plan.offer(place, at: now()) }) {
                case .start: start(place, &group, receiver)
                case .passedOver: leave(place, for: place.receiver)
                case .kept, .known: break
                }
            }
        } catch {
            logger.debug("the outbox cannot be read", metadata: ["reason": "\(error)"])
        }
    }

    private func start(_ place: OutboxRecords.Place, _ group: inout TaskGroup<Step>, _ receiver: Receiver) {
        group.addTask {
            await self.work(on: place, for: receiver)
            self.progress.withLock { progress in
                let takesMore = progress.plan.finished(place.name, at: self.now())
                if takesMore, progress.scan.hasLeft(place.receiver) { progress.scan.lookBehind() }
            }
            return .done
        }
    }

    /// A place stays in the queue as it is, to be found again when the receiver takes more.
    private func leave(_ place: OutboxRecords.Place, for id: OutboxReceiverID) {
        // A queue with a single receiver is read from the beginning each time, and no further than there is room.
        guard only == nil else { return }
        progress.withLock { $0.scan.leave(place, for: id) }
    }

    /// The next due place in the queue; nil if there is none, no room for it, or enough has been read.
    private func nextDue(for receiver: Receiver) async throws(StoreError) -> OutboxRecords.Place? {
        let (only, now) = (only, now())
        while true {
            let (place, cursor, needsPage) = progress.withLock { progress in
                let plan = progress.plan
                guard !plan.isFull(only, at: now) else {
                    return (OutboxRecords.Place?.none, String?.none, false)
                }
                let place = progress.scan.next()
                if place == nil { progress.scan.turn { receiver.knows($0) && plan.takesMore($0, at: now) } }
                return (place, progress.scan.cursor, place == nil && progress.scan.needsPage)
            }
            if let place { return place }
            guard needsPage else { return nil }
            let page = try await records.places(after: cursor, limit: QueueScan.page)
            progress.withLock { $0.scan.add(page, at: now) }
        }
    }

    private func work(on place: OutboxRecords.Place, for receiver: Receiver) async {
        do throws(StoreError) {
            guard let stored = try await records.read(place.id) else { return try await records.discardIfDone(place) }
            let holder = Base64URL.encode(RandomBytes.make(9))
            var stream = stored.stream
            let expired = stream.expire(at: now())
            // The place of an earlier version does not say whom it is for.
            let isKnown = receiver.knows(stream.receiver)
            let isOurs = isKnown && stream.claim(by: holder, at: now())
            guard isOurs || stream.isEmpty else {
                // If it is known, the place is earlier than what the stream waits for, and that has a place of its own.
                if !isKnown { leave(place, for: stream.receiver) }
                return
            }
            guard try await records.replace(stored, with: stream) != nil else {
                return leave(place, for: place.receiver)
            }
            count(expired, .expired, of: stream)
            guard isOurs else { return }
            // Without an attempt its place is where it was.
            if await !send(stream, holder, to: receiver) { leave(place, for: place.receiver) }
        } catch .garbled(_) {
            leave(place, for: place.receiver)
            try? await records.setAside(place.id, place: place.name, at: now())
        } catch {
            leave(place, for: place.receiver)
            logger.debug("a message cannot be sent", metadata: ["reason": "\(error)"])
        }
    }

    /// Sends the messages of a claimed stream until one fails.
    ///
    /// - Returns: Whether there was an attempt at one.
    private func send(_ claimed: OutboxStream, _ holder: String, to receiver: Receiver) async -> Bool {
        var stream = claimed
        var results: [Attempt] = []
        while let message = stream.messages.first, results.count < Self.mostInARow,
            let claim = stream.claim, now() + Self.reserve <= claim.until
        {
            let result = await attempt(message, of: stream, receiver)
            let last = Attempt(id: message.id, result: result, at: now(), jitter: jitter())
            results.append(last)
            stream.record(result, of: message.id, at: last.at, jitter: last.jitter)
            if case .failed = result { break }
        }
        let (done, id) = (results, stream.id)
        // In a task that is not cancelled: at a shutdown, what was sent is noted all the same.
        await Task { await self.note(done, of: id, holder) }.value
        return !done.isEmpty
    }

    private func note(_ results: [Attempt], of id: String, _ holder: String) async {
        do throws(StoreError) {
            // Others may have added messages meanwhile.
            _ = try await records.change(id) { stream in
                for attempt in results {
                    stream.record(attempt.result, of: attempt.id, at: attempt.at, jitter: attempt.jitter)
                }
                stream.release(holder)
            }
        } catch {
            logger.warning("what was sent cannot be noted: it is sent again", metadata: ["reason": "\(error)"])
        }
    }

    private func attempt(
        _ message: OutboxMessage,
        of stream: OutboxStream,
        _ receiver: Receiver
    ) async -> OutboxStream.Result {
        let result: OutboxStream.Result
        let start = now()
        do throws(OutboxFailure) {
            guard let request = try await receiver.request(for: message, ofTenant: stream.tenant, at: now()) else {
                logger.notice(
                    "a message has no receiver any more and is dropped",
                    metadata: ["tenant": "\(stream.tenant)", "type": "\(message.content.label)"]
                )
                counts.count(message.content, .givenUp)
                return .delivered
            }
            result = receiver.result(of: try await transport.send(request))
        } catch {
            result = .failed(error, retryAfter: nil)
        }
        let (id, end) = (stream.receiver, now())
        switch result {
        case .delivered, .givenUp: progress.withLock { $0.plan.succeeded(id, after: end - start) }
        case .failed: progress.withLock { $0.plan.failed(id, at: end) }
        }
        note(result, message, stream)
        return result
    }
}

// MARK: - Upkeep

extension OutboxDelivery {
    /// Removes what has waited for too long and nobody here sends, and counts what waits.
    private func keepUp() async throws(StoreError) {
        let now = now()
        let isDue = progress.withLock { progress in
            guard progress.nextUpkeep <= now else { return false }
            progress.nextUpkeep = now + Self.upkeep
            return true
        }
        guard isDue else { return }
        let first = try await records.places(after: nil, limit: CollectionLimits.page)
        counts.setPending(
            OutboxCounts.Pending(count: first.count, oldest: first.map(\.oldest).min()),
            in: records.channel
        )
        let further = try await furtherPlaces(after: first)
        progress.withLock { progress in
            for places in [first, further] { progress.scan.review(places, at: now) }
        }
        for place in first + further where place.oldest + records.channel.retention <= now {
            do throws(StoreError) {
                guard let stored = try await records.read(place.id) else {
                    try await records.discardIfDone(place)
                    continue
                }
                var stream = stored.stream
                let expired = stream.expire(at: now)
                if try await records.replace(stored, with: stream) != nil { count(expired, .expired, of: stream) }
            } catch .garbled(_) {
                try await records.setAside(place.id, place: place.name, at: now)
            }
        }
        try await records.removeAside(at: now)
    }

    /// A page of what comes after the first one, another each time.
    private func furtherPlaces(after first: [OutboxRecords.Place]) async throws(StoreError) -> [OutboxRecords.Place] {
        guard first.count == CollectionLimits.page else { return [] }
        let cursor = progress.withLock { $0.upkeepCursor } ?? first.last?.name
        let places = try await records.places(after: cursor, limit: CollectionLimits.page)
        progress.withLock { $0.upkeepCursor = places.last?.name }
        return places
    }
}

// MARK: - Log

extension OutboxDelivery {
    private func count(_ messages: [OutboxMessage], _ result: OutboxCounts.Result, of stream: OutboxStream) {
        guard let first = messages.first else { return }
        for message in messages { counts.count(message.content, result) }
        let lost = progress.withLock { $0.losses.add(messages.count, stream.tenant, at: now()) }
        guard let lost else { return }
        logger.error(
            "messages have waited for too long and are lost",
            metadata: ["tenant": "\(stream.tenant)", "type": "\(first.content.label)", "count": "\(lost)"]
        )
    }

    private func note(_ result: OutboxStream.Result, _ message: OutboxMessage, _ stream: OutboxStream) {
        var metadata: Logger.Metadata = [
            "tenant": "\(stream.tenant)", "type": "\(message.content.label)", "id": "\(message.id)",
        ]
        switch result {
        case .delivered:
            counts.count(message.content, .delivered)
            logger.debug("a message was delivered", metadata: metadata)
        case .givenUp(let failure):
            counts.count(message.content, .givenUp)
            metadata["status"] = failure.status.map { "\($0)" }
            logger.warning("a client has refused a logout token: it is not sent again", metadata: metadata)
        case .failed(let failure, _):
            counts.count(message.content, .failed)
            metadata["reason"] = "\(failure.reason.rawValue)"
            metadata["status"] = failure.status.map { "\($0)" }
            metadata["attempts"] = "\(stream.attempts + 1)"
            let isNews = isNews("\(message.content.label) \(stream.tenant) \(failure.reason.rawValue)")
            logger.log(level: isNews ? .warning : .debug, "a message is sent again", metadata: metadata)
        }
    }

    private func isNews(_ name: String) -> Bool {
        let now = now()
        return progress.withLock { progress in
            if let last = progress.warned[name], now < last + Self.quiet { return false }
            progress.warned = progress.warned.filter { now < $0.value + Self.quiet }
            progress.warned[name] = now
            return true
        }
    }
}
