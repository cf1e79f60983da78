import Logging
import Store
import Synchronization
import Time
import Verification

/// Sends the messages of one channel that are due.
final class OutboxDelivery: Sendable {
    /// How many places of the queue are read at a time, and in one call of ``work(for:)``.
    private static let page = 256
    private static let mostPages = 16
    /// The maximum number of messages that are sent of a stream in a row.
    private static let mostInARow = 32
    /// Seconds of a claim that have to be left for another message: more than a request takes.
    private static let reserve = 60.0
    /// Seconds between two looks at what is over, and two counts of what waits.
    private static let upkeep = 15.0
    /// Seconds between two warnings about the same failure.
    private static let quiet = 600.0

    private struct Progress: Sendable {
        var health: ReceiverHealth
        /// The last place looked at, where the next call goes on; nil for the beginning.
        var cursor: String?
        var nextUpkeep = UnixTime(0)
        var warned: [String: UnixTime] = [:]
    }

    /// What came of one message.
    private struct Attempt: Sendable {
        let id: String
        let result: OutboxStream.Result
        let at: UnixTime
        let jitter: Double
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
        progress = Mutex(Progress(health: ReceiverHealth(isSingle: records.channel != .logouts)))
    }

    /// Sends what is due, and returns when that is done or has failed.
    ///
    /// - Parameter receiver: Nil if this instance has none: what waits is left to others until it expires.
    func work(for receiver: (any OutboxReceiver)?) async {
        do throws(StoreError) {
            if let receiver {
                for _ in 0..<Self.mostPages where try await !workOnPage(for: receiver) { break }
            }
            try await keepUp(receiver)
        } catch {
            logger.debug("the outbox cannot be read", metadata: ["reason": "\(error)"])
        }
    }

    /// - Returns: Whether there is more to do at once.
    private func workOnPage(for receiver: any OutboxReceiver) async throws(StoreError) -> Bool {
        let start = now()
        let (cursor, limit) = progress.withLock { ($0.cursor, $0.health.limit(at: start)) }
        guard limit > 0 else { return false }
        let places = try await records.places(after: cursor, limit: Self.page)
        let due = places.filter { $0.time <= start }
        let isMore = due.count == Self.page
        progress.withLock { $0.cursor = isMore ? due.last?.name : nil }
        await send(due.filter { receiver.receives(ofTenant: $0.tenant) }, to: receiver)
        let isDown = progress.withLock { progress in
            // What was left out is first in turn when it is back.
            if progress.health.isDown { progress.cursor = nil }
            return progress.health.isDown
        }
        return isMore && !isDown
    }

    /// Works on streams, as many at once as the receiver's health allows.
    private func send(_ places: [OutboxRecords.Place], to receiver: any OutboxReceiver) async {
        var left = places[...]
        await withTaskGroup(of: Void.self) { group in
            var running = 0
            while true {
                let limit = progress.withLock { $0.health.limit(at: now()) }
                while running < limit, let place = left.popFirst() {
                    running += 1
                    group.addTask { await self.work(on: place, for: receiver) }
                }
                guard await group.next() != nil else { return }
                running -= 1
            }
        }
    }

    private func work(on place: OutboxRecords.Place, for receiver: any OutboxReceiver) async {
        do throws(StoreError) {
            guard let stored = try await records.read(place.id) else { return try await records.discardIfDone(place) }
            let holder = Base64URL.encode(RandomBytes.make(9))
            var stream = stored.stream
            let expired = stream.expire(at: now())
            let isOurs = stream.claim(by: holder, at: now())
            // The place may be earlier than what the stream waits for.
            guard isOurs || stream.isEmpty else { return }
            guard try await records.replace(stored, with: stream) != nil else { return }
            count(expired, .expired, of: stream)
            if isOurs { await send(stream, holder, to: receiver) }
        } catch .garbled(_) {
            try? await records.discard(place.name)
        } catch {
            logger.debug("a message cannot be sent", metadata: ["reason": "\(error)"])
        }
    }

    /// Sends the messages of a claimed stream until one fails.
    private func send(_ claimed: OutboxStream, _ holder: String, to receiver: any OutboxReceiver) async {
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
        _ receiver: any OutboxReceiver
    ) async -> OutboxStream.Result {
        let result: OutboxStream.Result
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
        let end = now()
        switch result {
        case .delivered, .givenUp: progress.withLock { $0.health.succeeded() }
        case .failed: progress.withLock { $0.health.failed(at: end) }
        }
        note(result, message, stream)
        return result
    }
}

// MARK: - Upkeep

extension OutboxDelivery {
    /// Removes what has waited for too long and nobody here sends, and counts what waits.
    private func keepUp(_ receiver: (any OutboxReceiver)?) async throws(StoreError) {
        let now = now()
        let isDue = progress.withLock { progress in
            guard progress.nextUpkeep <= now else { return false }
            progress.nextUpkeep = now + Self.upkeep
            return true
        }
        guard isDue else { return }
        let places = try await records.places(after: nil, limit: CollectionLimits.page)
        counts.setPending(
            OutboxCounts.Pending(count: places.count, oldest: places.map(\.oldest).min()),
            in: records.channel
        )
        for place in places where place.oldest + records.channel.retention <= now {
            do throws(StoreError) {
                guard let stored = try await records.read(place.id) else {
                    try await records.discardIfDone(place)
                    continue
                }
                var stream = stored.stream
                let expired = stream.expire(at: now)
                if try await records.replace(stored, with: stream) != nil { count(expired, .expired, of: stream) }
            } catch .garbled(_) {
                try await records.discard(place.name)
            }
        }
    }
}

// MARK: - Log

extension OutboxDelivery {
    private func count(_ messages: [OutboxMessage], _ result: OutboxCounts.Result, of stream: OutboxStream) {
        guard let first = messages.first else { return }
        for message in messages { counts.count(message.content, result) }
        logger.error(
            "messages have waited for too long and are lost",
            metadata: [
                "tenant": "\(stream.tenant)", "type": "\(first.content.label)", "count": "\(messages.count)",
            ]
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
