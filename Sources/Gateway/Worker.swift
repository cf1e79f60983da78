import NIOCore
import Tenants

/// One event loop's share of the gateway: everything a request meets on its way, owned by this loop alone. No lock and no
/// hop is needed, because nothing here is ever touched from elsewhere.
final class Worker {
    let eventLoop: any EventLoop
    let settings: GatewaySettings
    let gauge: ConnectionGauge
    let accessLog: AccessLogWriter?
    private let slowVerifiers: [SlowVerifier]
    private var slowStepsUnderWay = 0
    private static let mostSlowSteps = 1024
    private(set) var serving: Serving
    private(set) var isDraining = false

    // Values that are used again for each request.
    let parser: RequestHeadParser
    let requestHead = RequestHead()
    let responseParser = ResponseHeadParser()
    let responseHead = ResponseHead()
    let allocator = ByteBufferAllocator()
    var output: ByteBuffer
    var identifiers = IdentifierGenerator()
    var timers: TimerWheel
    /// Now, as a Date field says it.
    private(set) var date: [UInt8] = []
    private var dateSecond: Int64 = 0
    private var unixOffset = 0.0
    private(set) var counters: Counters
    private var log = AccessLogLines()
    private var clients: [ClientConnection] = []
    private var ticker: RepeatedTask?
    private var whenDrained: EventLoopPromise<Void>?

    let idleTimeout: UInt64
    let headerTimeout: UInt64

    /// What a worker is made from; the same for all.
    struct Parts: Sendable {
        var configuration: TenantsConfiguration
        var directory: TenantDirectory
        var gauge: ConnectionGauge
        var accessLog: AccessLogWriter?
        var loops: Int
        var slowVerifiers: [SlowVerifier]
    }

    init(_ parts: Parts, eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        settings = parts.configuration.gateway
        gauge = parts.gauge
        accessLog = parts.accessLog
        slowVerifiers = parts.slowVerifiers
        parser = RequestHeadParser(
            maximumBytes: settings.limits.headerBytes,
            maximumFields: settings.limits.headers
        )
        output = allocator.buffer(capacity: 16 << 10)
        timers = TimerWheel(now: Clock.monotonic())
        counters = Counters(tenantCount: parts.configuration.tenants.count)
        idleTimeout = settings.limits.idleTimeout.nanosecondsClamped
        headerTimeout = settings.limits.headerTimeout.nanosecondsClamped
        serving = Serving(tenants: [], directory: TenantDirectory([]))
        serving = Serving(tenants: tenants(parts), directory: parts.directory)
    }

    private func tenants(_ parts: Parts) -> [TenantRuntime] {
        parts.configuration.tenants.enumerated().map { index, tenant in
            let pools = tenant.backend.servers.filter { $0.scheme == .http }.map {
                ServerPool($0, backend: tenant.backend, worker: self, loops: parts.loops)
            }
            return TenantRuntime(index: index, tenant: tenant, servers: BackendServers(pools))
        }
    }

    // MARK: Clocks

    /// Monotonic nanoseconds.
    func now() -> UInt64 { Clock.monotonic() }

    /// Unix seconds at a moment of the monotonic clock. The two are compared at each tick, so that a request reads one
    /// clock and a change of the system's time is followed at once.
    func unixTime(at monotonic: UInt64) -> Double { Double(monotonic) / 1_000_000_000 + unixOffset }

    /// Begins the loop's ticks: timeouts, the date, and log lines on their way out.
    func start() {
        tick()
        let interval = TimeAmount.nanoseconds(Int64(TimerWheel.tickLength))
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        ticker = eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in bound.value.tick() }
    }

    private func tick() {
        let moment = now()
        unixOffset = Clock.unix() - Double(moment) / 1_000_000_000
        let second = Int64(unixTime(at: moment))
        if second != dateSecond {
            dateSecond = second
            date = HTTPDate.text(unixSeconds: second)
        }
        for timer in timers.advance(to: moment) where timer.takeDeadline(at: moment) { timer.target?.deadlineMet() }
        flushLog()
    }

    // MARK: Connections

    /// Gives whether the connection is within the limit.
    func opened(_ client: ClientConnection) -> Bool {
        client.placeInWorker = clients.count
        clients.append(client)
        counters.openConnections += 1
        let isWelcome = gauge.opened(limit: settings.limits.connections)
        if isDraining { client.drain() }
        return isWelcome
    }

    func closed(_ client: ClientConnection) {
        guard client.placeInWorker >= 0 else { return }
        let last = clients.removeLast()
        if last !== client {
            clients[client.placeInWorker] = last
            last.placeInWorker = client.placeInWorker
        }
        client.placeInWorker = -1
        counters.openConnections -= 1
        gauge.closed()
        if clients.isEmpty {
            whenDrained?.succeed()
            whenDrained = nil
        }
    }

    /// Lets idle connections go and has the others close after their answer; what is left after `grace` is closed.
    ///
    /// - Returns: Done when the last connection is closed.
    func drain(grace: TimeAmount) -> EventLoopFuture<Void> {
        isDraining = true
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.scheduleTask(in: grace) { bound.value.closeClients() }
        let promise = eventLoop.makePromise(of: Void.self)
        if !clients.isEmpty { whenDrained = promise }
        if clients.isEmpty { promise.succeed() }
        for client in clients { client.drain() }
        return promise.futureResult
    }

    private func closeClients() {
        for client in clients { client.closeNow() }
    }

    /// Closes what is still open.
    func stop() {
        closeClients()
        serving.close()
        ticker?.cancel()
        flushLog()
    }

    // MARK: What takes too long for the loop

    /// Has the step done elsewhere; the client decides again afterwards. Gives whether there is room for it.
    func perform(_ step: SlowStep, for client: ClientConnection) -> Bool {
        guard slowStepsUnderWay < Self.mostSlowSteps else { return false }
        slowStepsUnderWay += 1
        let verifier = slowVerifiers[slowStepsUnderWay % slowVerifiers.count]
        let bound = NIOLoopBound((self, client), eventLoop: eventLoop)
        Task { [eventLoop] in
            let outcome = await verifier.verify(step)
            eventLoop.execute {
                let (worker, client) = bound.value
                worker.slowStepsUnderWay -= 1
                worker.serving.decision.settle(step, outcome, worker.serving.tenants[step.tenant])
                client.decideAgain()
            }
        }
        return true
    }

    // MARK: What is told of requests

    /// Keeps what the log will say of a request's head, if there is a log.
    func logRequest(
        _ record: inout ExchangeRecord,
        _ head: RequestHead,
        _ bytes: Span<UInt8>,
        isBehindProxy: Bool
    ) {
        guard accessLog != nil else { return }
        if isBehindProxy {
            record.client = ClientAddress.read(head, bytes, trustedProxies: settings.trustedProxies)
        }
        let end = (head.target.lowerBound..<head.target.upperBound).first { bytes[$0] == UInt8(ascii: "?") }
        let path = bytes.extracting(head.target.lowerBound..<(end ?? head.target.upperBound))
        record.logFragment = AccessLogLines.fragment(
            tenant: record.tenant?.tenant.name,
            method: bytes.extracting(head.method),
            path: path
        )
    }

    /// - Parameter end: When the answer was complete, in monotonic nanoseconds.
    func finished(_ record: inout ExchangeRecord, peer: Peer, at end: UInt64) {
        guard !record.isFinished else { return }
        record.isFinished = true
        let duration = end > record.startedAt ? end - record.startedAt : 0
        // Until the head went out to the backend; the whole for an answer of our own.
        let overhead = record.forwardedAt > 0 ? record.forwardedAt &- record.startedAt : duration
        let tenant = record.tenant?.index ?? counters.tenantCount - 1
        counters.count(tenant: tenant, method: record.method, status: record.status, outcome: record.outcome)
        counters.time(tenant: tenant, duration: duration, overhead: overhead)
        guard accessLog != nil else { return }
        log.append(record, peer: peer, duration: duration, overhead: overhead, unixTime: unixTime(at: end))
        if log.count > 32 << 10 { flushLog() }
    }

    private func flushLog() {
        guard let accessLog, log.count > 0 else { return }
        accessLog.write(log.take())
    }

    func currentCounters() -> Counters {
        var counters = counters
        counters.tokenCache = serving.decision.cacheCounts
        return counters
    }

    /// By tenant and server.
    func backendCounts() -> [BackendCount] {
        serving.tenants.flatMap { tenant in
            tenant.servers.pools.map { BackendCount(tenant: tenant.tenant.name, server: $0.label, counts: $0.counters) }
        }
    }
}

/// What one loop's requests to one server came to.
struct BackendCount: Sendable {
    var tenant: String
    var server: String
    var counts: BackendCounters
}
