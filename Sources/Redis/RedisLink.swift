import Logging
import NIOCore
import Synchronization

/// A client on its event loop: passes events to ``ClientState``, ``Handshake`` and ``CommandQueue``, and performs their
/// actions.
///
///     opening → handshake → ready → lost → waiting → opening …
///
/// Has at most one connection, to a sentinel or a server.
final class RedisLink {
    typealias Completion = (Result<[RedisReply], RedisError>) -> Void

    private struct Waiter {
        let call: RedisCall
        let completion: Completion
    }

    private struct Connection {
        let connection: RedisConnection
        var handshake: Handshake
        var opened: NIODeadline
    }

    private let configuration: RedisConfiguration
    private let tls: RedisTLSContext?
    private let eventLoop: any EventLoop
    private let logger: Logger
    private let status: RedisStatus
    private let ping: ByteBuffer
    private var state: ClientState
    private var queue: CommandQueue
    private var waiters: [CommandQueue.CallID: Waiter] = [:]
    private var current: Connection?
    private var generator = SystemRandomNumberGenerator()
    private var lastHeard = NIODeadline.uptimeNanoseconds(0)
    /// The server reported that it is no longer the master: nothing more is written, and the connection is closed after
    /// the last reply.
    private var isDemoted = false
    private var isFlushScheduled = false
    private var loggedReason: String?
    /// For the current attempt or, after it, the next one.
    private var attemptTimer: Scheduled<Void>?
    private var idleTimer: Scheduled<Void>?
    private var expiryTimer: (at: NIODeadline, task: Scheduled<Void>)?
    /// Fires when calls have waited for a connection for the maximum time.
    private var absenceTimer: Scheduled<Void>?
    /// How long calls may wait for a new connection after the server did not respond for their whole timeout.
    private static let reconnectionTime = TimeAmount.milliseconds(250)

    init(
        _ configuration: RedisConfiguration,
        tls: RedisTLSContext?,
        eventLoop: any EventLoop,
        logger: Logger,
        status: RedisStatus
    ) throws(RedisError) {
        self.configuration = configuration
        self.tls = tls
        self.eventLoop = eventLoop
        self.logger = logger
        self.status = status
        state = ClientState(configuration)
        queue = CommandQueue(
            maximumCommands: configuration.maximumQueuedCommands,
            maximumBytes: configuration.maximumQueuedBytes
        )
        var ping = ByteBuffer()
        try CommandEncoder.encode(RedisCommand("PING"), into: &ping)
        self.ping = ping
    }

    func start() {
        guard state.phase == .new else { return }
        waitForConnection(until: .now() + TimeAmount(clamping: configuration.commandTimeout))
        run(state.started())
    }

    func close() {
        guard state.phase != .closed else { return }
        state.closed()
        leave()
        attemptTimer?.cancel()
        expiryTimer?.task.cancel()
        absenceTimer?.cancel()
        for id in queue.connectionLost() + queue.removeUnwritten() { complete(id, .failure(.closed)) }
        status.isUp.store(false, ordering: .releasing)
    }

    // MARK: Calls

    func add(_ call: RedisCall, _ encoded: ByteBuffer, deadline: NIODeadline, completion: @escaping Completion) {
        if call.isCancelled.load(ordering: .acquiring) { return completion(.failure(.cancelled)) }
        if state.phase == .closed { return completion(.failure(.closed)) }
        // Sending it without time left would only cost the connection.
        guard deadline > .now() else {
            return completion(.failure(.unavailable("its time was over before it was sent")))
        }
        if !state.isReady, case .refused(let reason) = state.failure { return completion(.failure(.unusable(reason))) }
        if status.isAbsent.load(ordering: .relaxed) { return completion(.failure(.unavailable(absence))) }
        do throws(RedisError) {
            let id = try queue.add(encoded, commands: call.commands, deadline: deadline)
            waiters[id] = Waiter(call: call, completion: completion)
        } catch {
            return completion(.failure(error))
        }
        watch(deadline)
        scheduleFlush()
    }

    func cancel(_ call: RedisCall) {
        guard let id = waiters.first(where: { $0.value.call === call })?.key else { return }
        queue.cancel(id)
        complete(id, .failure(.cancelled))
    }

    private func complete(_ id: CommandQueue.CallID, _ result: Result<[RedisReply], RedisError>) {
        waiters.removeValue(forKey: id)?.completion(result)
    }

    /// Calls in one turn of the loop are sent in one write.
    private func scheduleFlush() {
        guard state.isReady, !isFlushScheduled else { return }
        isFlushScheduled = true
        eventLoop.assumeIsolated().execute {
            self.isFlushScheduled = false
            self.flush()
        }
    }

    private func flush() {
        guard state.isReady, !isDemoted, let bytes = queue.takeUnwritten() else { return }
        current?.connection.write(bytes)
    }

    // MARK: Connecting

    private func run(_ action: ClientState.Action) {
        switch action {
        case .nothing: break
        case .open(let address, let purpose): open(address, purpose)
        case .wait(let duration):
            logFailure(retryIn: duration)
            attemptTimer = eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(clamping: duration)) {
                self.run(self.state.waited())
            }
        }
    }

    private func open(_ address: RedisAddress, _ purpose: Handshake.Purpose) {
        let timeout = TimeAmount(clamping: configuration.connectTimeout)
        attemptTimer = eventLoop.assumeIsolated().scheduleTask(in: timeout) {
            self.openingFailed(.transient(self.unfinished))
        }
        do throws(ProtocolError) {
            let connection = try RedisConnection(
                eventLoop: eventLoop,
                maximumReplyBytes: configuration.maximumReplyBytes
            ) { self.happened($0, at: address) }
            current = Connection(
                connection: connection,
                handshake: Handshake(configuration, for: purpose),
                opened: .now()
            )
            connection.open(address, tls: tls, timeout: timeout)
        } catch {
            openingFailed(.transient(error.reason))
        }
    }

    /// The unfinished step of the current attempt to connect.
    private var unfinished: String {
        guard case .opening(let address, _) = state.phase, let connection = current?.connection
        else { return "there was no connection in time" }
        return "\(address): \(connection.unfinished)"
    }

    private func happened(_ event: RedisConnection.Event, at address: RedisAddress) {
        switch event {
        case .opened:
            if let handshake = current?.handshake { run(handshake.opened(), at: address) }
        case .reply(let reply):
            lastHeard = .now()
            if state.isReady {
                received(reply, from: address)
            } else if let action = current?.handshake.received(reply) {
                run(action, at: address)
            }
        case .ended(let reason):
            if state.isReady {
                lost("\(address): \(reason)")
            } else {
                openingFailed(.transient("\(address): \(reason)"))
            }
        }
    }

    private func run(_ action: Handshake.Action, at address: RedisAddress) {
        switch action {
        case .send(let command):
            var bytes = ByteBuffer()
            do throws(RedisError) {
                try CommandEncoder.encode(command, into: &bytes)
                current?.connection.write(bytes)
            } catch {
                openingFailed(.refused("\(address): \(error)"))
            }
        case .ready: ready(address)
        case .master(let master):
            leave()
            run(state.masterFound(master))
        case .fail(.refused(let reason)): openingFailed(.refused("\(address): \(reason)"))
        case .fail(.transient(let reason)): openingFailed(.transient("\(address): \(reason)"))
        case .fail(.notMaster(let reason)): openingFailed(.notMaster("\(address): \(reason)"))
        }
    }

    private func ready(_ address: RedisAddress) {
        attemptTimer?.cancel()
        state.becameReady()
        current?.opened = .now()
        isDemoted = false
        loggedReason = nil
        absenceTimer?.cancel()
        status.isAbsent.store(false, ordering: .releasing)
        logger.info("connected to Redis", metadata: ["redis.server": "\(address)"])
        status.becameUp(state.connectionNumber)
        scheduleIdleCheck(in: TimeAmount(clamping: configuration.idleCheckInterval))
        flush()
    }

    private func openingFailed(_ failure: ConnectFailure) {
        leave()
        run(state.openingFailed(failure, using: &generator))
        if case .refused(let reason) = state.failure {
            for id in queue.removeUnwritten() { complete(id, .failure(.unusable(reason))) }
        }
    }

    /// - Parameter silentSince: When the server last sent something, if the connection is closed because it does not
    ///   respond.
    private func lost(_ reason: String, silentSince: NIODeadline? = nil) {
        if let opened = current?.opened, NIODeadline.now() - opened > TimeAmount(clamping: configuration.retry.cap) {
            state.provedLasting()
        }
        leave()
        let action = state.lost(reason, using: &generator)
        status.becameDown(reason)
        // Before the callers are notified: their next calls belong to the same gap.
        let now = NIODeadline.now()
        let patience = TimeAmount(clamping: configuration.commandTimeout)
        waitForConnection(
            until: silentSince.map { max($0 + patience, now + min(patience, Self.reconnectionTime)) } ?? now + patience
        )
        for id in queue.connectionLost() { complete(id, .failure(.lostInFlight(reason))) }
        run(action)
    }

    // MARK: Without a connection

    /// The time that all calls share in one gap between two connections.
    private func waitForConnection(until deadline: NIODeadline) {
        absenceTimer?.cancel()
        absenceTimer = eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { self.connectionIsAbsent() }
    }

    private func connectionIsAbsent() {
        guard !state.isReady, state.phase != .closed else { return }
        status.isAbsent.store(true, ordering: .releasing)
        let reason = absence
        for id in queue.removeUnwritten() { complete(id, .failure(.unavailable(reason))) }
    }

    /// Why there is no connection, as far as known.
    private var absence: String { state.failure?.reason ?? unfinished }

    /// Closes the connection and its timers.
    private func leave() {
        attemptTimer?.cancel()
        idleTimer?.cancel()
        current?.connection.close()
        current = nil
    }

    /// Logs each reason once, until a connection is open again.
    private func logFailure(retryIn duration: Duration) {
        guard let failure = state.failure else { return }
        let isNews = failure.reason != loggedReason
        loggedReason = failure.reason
        let level: Logger.Level =
            switch failure {
            case .refused: .error
            case .transient, .notMaster: .warning
            }
        logger.log(
            level: isNews ? level : .debug,
            "no connection to Redis",
            metadata: ["redis.reason": "\(failure.reason)", "redis.retry_in": "\(duration)"]
        )
    }

    // MARK: Replies and deadlines

    private func received(_ reply: RedisReply, from address: RedisAddress) {
        if case .error("READONLY", _) = reply, !isDemoted {
            isDemoted = true
            status.becameDown("\(address) is not the master any more")
        }
        switch queue.received(reply) {
        case .kept: break
        case .complete(let id, let replies): complete(id, .success(replies))
        case .unexpected: return lost("\(address): an unexpected reply")
        }
        if isDemoted, queue.written == 0, state.isReady { lost("\(address) is not the master any more") }
    }

    private func watch(_ deadline: NIODeadline) {
        if let expiryTimer, expiryTimer.at <= deadline { return }
        expiryTimer?.task.cancel()
        let task = eventLoop.assumeIsolated().scheduleTask(deadline: deadline) {
            self.expiryTimer = nil
            self.expire(at: .now())
        }
        expiryTimer = (deadline, task)
    }

    private func expire(at now: NIODeadline) {
        let expired = queue.expire(at: now)
        let reason = absence
        // Before the callers are notified, so that they see the current state.
        if expired.closesConnection { lost("the server did not reply in time", silentSince: lastHeard) }
        for id in expired.unsent { complete(id, .failure(.unavailable(reason))) }
        for id in expired.unanswered { complete(id, .failure(.timedOut)) }
        if let next = queue.nextDeadline { watch(next) }
    }

    private func scheduleIdleCheck(in delay: TimeAmount) {
        idleTimer = eventLoop.assumeIsolated().scheduleTask(in: delay) { self.checkIdle() }
    }

    /// On an idle connection the death of its server goes unnoticed.
    private func checkIdle() {
        let interval = TimeAmount(clamping: configuration.idleCheckInterval)
        let idle = NIODeadline.now() - lastHeard
        guard queue.isEmpty, idle >= interval else {
            return scheduleIdleCheck(in: queue.isEmpty ? interval - idle : interval)
        }
        let deadline = NIODeadline.now() + TimeAmount(clamping: configuration.commandTimeout)
        do throws(RedisError) {
            _ = try queue.add(ping, commands: 1, deadline: deadline)
            watch(deadline)
            flush()
        } catch {
            // The queue is full: then there are calls, which have deadlines of their own.
        }
        scheduleIdleCheck(in: interval)
    }
}

extension TimeAmount {
    /// From zero to a year: longer spans have the same effect, and deadlines do not overflow.
    init(clamping duration: Duration) {
        self = .nanoseconds(max(0, min(duration.wholeNanoseconds, TimeAmount.hours(24 * 365).nanoseconds)))
    }
}
