import Counting
import HTTPCore
import Logging
import NIOCore
import SharedState
import Tenants
import Time
import Verification

/// One event loop's share of the gateway: everything a request meets on its way, owned by this loop alone. No lock and no
/// hop is needed, because nothing here is ever touched from elsewhere.
final class Worker {
    let eventLoop: any EventLoop
    private(set) var settings: GatewaySettings
    let gauge: ConnectionGauge
    var crowd = ConnectionCrowd()
    let accessLog: AccessLogWriter?
    /// Nil where nothing is traced.
    let tracing: WorkerTracing?
    let slowVerifiers: [SlowVerifier]
    let names: ServerNames
    private(set) var controlPlane: ControlPlane
    var nextSlowVerifier = 0
    var slowTurns = SlowTurns<SlowTask>()
    /// What was last said of each source of keys, for tenants that are yet to come.
    var knownKeys: [KeySource: KeySet] = [:]
    /// Revocations of tenants that are yet to come, by name.
    var unclaimedRevocations: [String: RevocationSet] = [:]
    var revocationWatch = RevocationWatch()
    /// For bodies that are kept.
    let replayRoom: ReplayRoom
    /// See ``atEndOfTurn(_:)``.
    private var turnEnd: [() -> Void] = []
    private(set) var serving: Serving
    private(set) var isDraining = false

    /// What is held for clients that have not taken it.
    var backlog = ClientBacklog.Total()

    // Values that are used again for each request.
    private(set) var parser: RequestHeadParser
    /// Heads that no exchange has.
    let requests = SpareRequests()
    let responses = SpareResponses()
    let responseParser = ResponseHeadParser()
    /// For what has passed ``parser`` already, with room for the fields that were added since.
    private(set) var forwardedParser: RequestHeadParser
    /// Fields of HTTP/2, and the head that is written of them.
    var requestFields = HeaderList()
    var answerFields = HeaderList()
    var http2Head: ByteBuffer
    let allocator = ByteBufferAllocator()
    var output: ByteBuffer
    /// Whose answer stands in ``output``, until it is written.
    var outputOwner: HTTP1ServerConnection?
    var identifiers = IdentifierGenerator()
    var timers: TimerWheel
    var clocks = WorkerClocks()
    var ticker = WorkerTicker()
    /// What clients are shown on TLS listeners; nil without one.
    private(set) var certificates: ServerCertificates?
    let loggers: WorkerLoggers
    private(set) var counters: Counters
    private var observedSamples: ObservedSamples
    private var log = AccessLogLines()
    private(set) var clients: [any FrontConnection] = []
    /// By the tenant's place.
    var healthCheckers: [Int: [HealthChecker]] = [:]
    private let loops: Int
    private var ledger: LimitLedger?
    private var whenDrained: EventLoopPromise<Void>?

    private(set) var idleTimeout: UInt64
    private(set) var headerTimeout: UInt64

    /// What a worker is made from; the same for all.
    struct Parts: Sendable {
        var edition: ConfigurationEdition
        var directory: TenantDirectory
        var gauge: ConnectionGauge
        var accessLog: AccessLogWriter?
        var traces: TraceExporter?
        var loops: Int
        var slowVerifiers: [SlowVerifier]
        var controlPlane: ControlPlane
        var proofNonces = ProofNonces()
        /// Nil where no tenant has a rate limit.
        var limits: SharedLimits?
        var certificates: ServerCertificates?
        /// By the place of the tenant; nil for one without `https` servers.
        var backendTLS: [BackendTLSContexts?]
        var names = ServerNames.system
        var logger: Logger

        var settings: GatewaySettings { edition.configuration.gateway }
    }

    init(_ parts: Parts, eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        settings = parts.settings
        gauge = parts.gauge
        accessLog = parts.accessLog
        tracing = parts.traces.map { WorkerTracing($0) }
        slowVerifiers = parts.slowVerifiers
        names = parts.names
        controlPlane = parts.controlPlane
        loops = parts.loops
        replayRoom = ReplayRoom(Self.mostReplayBytes / max(1, parts.loops))
        (parser, forwardedParser) = Self.parsers(settings.limits)
        output = allocator.buffer(capacity: 16 << 10)
        http2Head = allocator.buffer(capacity: 4 << 10)
        timers = TimerWheel(now: clocks.moment)
        certificates = parts.certificates
        loggers = WorkerLoggers(parts.logger)
        counters = Counters(tenantCount: parts.edition.tenants.count)
        observedSamples = ObservedSamples(tenantCount: parts.edition.tenants.count)
        idleTimeout = settings.limits.idleTimeout.nanosecondsClamped
        headerTimeout = settings.limits.headerTimeout.nanosecondsClamped
        serving = Serving(tenants: [], directory: TenantDirectory([]))
        serving = makeServing(parts)
    }

    private static func parsers(_ limits: ConnectionLimits) -> (
        requests: RequestHeadParser, forwarded: RequestHeadParser
    ) {
        (
            RequestHeadParser(maximumBytes: limits.headerBytes, maximumFields: limits.headers),
            RequestHeadParser(maximumBytes: limits.headerBytes + (64 << 10), maximumFields: limits.headers + 100)
        )
    }

    private func makeServing(_ parts: Parts) -> Serving {
        let sources = RemoteKeySource.all(of: parts.edition.configuration.tenants)
        return Serving(
            generation: parts.edition.generation,
            tenants: parts.edition.tenants.indices.map { tenant($0, parts, sources) },
            directory: parts.directory,
            keySources: sources
        )
    }

    /// The tenant at a place. What there was before keeps its connections, and what it knows of revocations.
    private func tenant(_ place: Int, _ parts: Parts, _ sources: [RemoteKeySource]) -> ServedTenant {
        let tenant = parts.edition.tenants[place]
        let previous = place < serving.tenants.count ? serving.tenants[place] : nil
        let servers = BackendServers(
            tenant.backend,
            tls: parts.backendTLS[place],
            worker: self,
            loops: loops,
            previous: previous?.servers
        )
        let limits = parts.limits.flatMap { limits in
            let ledger = self.ledger ?? LimitLedger(eventLoop: eventLoop, settle: limits.settle)
            self.ledger = ledger
            return TenantLimits(tenant: place, limits.limiter, ledger, trustedProxies: settings.trustedProxies)
        }
        let runtime = TenantRuntime(
            index: place,
            tenant: tenant,
            revocations: previous?.runtime.revocations,
            remoteKeySources: sources,
            proofNonces: parts.proofNonces,
            limits: limits
        )
        return ServedTenant(runtime, servers: servers)
    }

    /// Serves another edition of the configuration from the next request on, all of it at once. Requests under way go on
    /// as they began.
    ///
    /// - Parameter parts: What does not change with the configuration is not looked at.
    func adopt(_ parts: Parts) {
        let old = serving
        let isTrustOther = settings.trustedProxies != parts.settings.trustedProxies
        settings = parts.settings
        controlPlane = parts.controlPlane
        certificates = parts.certificates
        (parser, forwardedParser) = Self.parsers(settings.limits)
        idleTimeout = settings.limits.idleTimeout.nanosecondsClamped
        headerTimeout = settings.limits.headerTimeout.nanosecondsClamped
        counters.grow(tenantCount: parts.edition.tenants.count)
        observedSamples.grow(tenantCount: parts.edition.tenants.count)
        serving = makeServing(parts)
        for tenant in serving.tenants {
            for source in tenant.tenant.authenticate.keySources where !source.isFile {
                if let keys = knownKeys[source] { _ = tenant.runtime.use(keys, from: source) }
            }
            if let set = unclaimedRevocations.removeValue(forKey: tenant.tenant.name) {
                tenant.runtime.revocations.use(set)
            }
            tenant.runtime.revocations.age(since: revocationWatch.contact, at: clocks.moment)
        }
        serving.authorizer.authenticator.countOn(from: old.authorizer.authenticator)
        old.retire()
        if isTrustOther { for client in clients { client.trust(settings.trustedProxies) } }
    }

    /// New connections are shown these from now on.
    func use(_ certificates: ServerCertificates) { self.certificates = certificates }

    // MARK: The end of the loop's turn

    /// Does `work` when whatever the loop does now is done.
    ///
    /// A channel says that it is closed, or takes no more, in the middle of a write, which may be that of any exchange.
    /// What that means for other exchanges waits until then.
    func atEndOfTurn(_ work: @escaping () -> Void) {
        turnEnd.append(work)
        guard turnEnd.count == 1 else { return }
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.execute { bound.value.endTurn() }
    }

    /// What comes up meanwhile has another turn.
    func endTurn() {
        let works = turnEnd
        turnEnd = []
        for work in works { work() }
    }

    /// Something happened that must not be possible. It costs one connection, and is counted.
    func failedInternally(_ place: InternalErrorPlace, _ what: StaticString) {
        assertionFailure("\(place.rawValue): \(what)")
        counters.count(internalErrorAt: place)
        loggers.clients.error("internal error", metadata: ["place": "\(place.rawValue)", "error": "\(what)"])
    }

    // MARK: Connections

    /// Gives whether the connection is within the limit; ``admit(_:)`` makes room where it is not.
    func opened(_ client: any FrontConnection) -> ConnectionGauge.Room {
        client.placeInWorker = clients.count
        clients.append(client)
        counters.openConnections += 1
        let room = gauge.opened(limit: settings.limits.connections)
        if isDraining { client.drain() }
        return room
    }

    /// Another handler is in charge of the connection from now on.
    func handOver(from first: any FrontConnection, to second: any FrontConnection) {
        guard first.placeInWorker >= 0 else { return }
        clients[first.placeInWorker] = second
        second.placeInWorker = first.placeInWorker
        first.placeInWorker = -1
    }

    func closed(_ client: any FrontConnection) {
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
        // Draining may close one, and so change the list.
        let draining = clients
        for client in draining { client.drain() }
        return promise.futureResult
    }

    private func closeClients() {
        let closing = clients
        for client in closing { client.closeNow() }
    }

    /// Closes what is still open.
    func stop() {
        closeClients()
        for tenant in Array(healthCheckers.keys) { stopProbing(tenant: tenant) }
        serving.close()
        stopTicking()
        flush()
    }

    // MARK: What is told of requests

    /// Keeps what the log, if there is one, and the trace of a request that has one, will say of its head.
    func logRequest(
        _ record: inout ExchangeRecord,
        _ head: RequestHead,
        _ bytes: Span<UInt8>,
        isBehindProxy: Bool
    ) {
        // Servers' places are shared by it too.
        if isBehindProxy {
            record.client = ClientAddress.read(head, bytes, trustedProxies: settings.trustedProxies)
        }
        guard accessLog != nil else { return }
        let target = head.target
        let end = (target.lowerBound..<target.upperBound).first { bytes[$0] == UInt8(ascii: "?") } ?? target.upperBound
        record.logFragment = AccessLogLines.fragment(
            tenant: record.tenant?.tenant.name,
            method: bytes.extracting(head.method),
            path: bytes.extracting(target.lowerBound..<end),
            query: settings.log.query ? LoggedQuery.text(bytes, end..<target.upperBound, record.tenant?.tenant) : []
        )
    }

    /// - Parameter end: When the answer was complete.
    func finished(_ record: inout ExchangeRecord, peer: Peer, at end: MonotonicTime) {
        guard !record.isFinished else { return }
        record.isFinished = true
        let duration = end - record.startedAt
        // Until the head went out to the backend; the whole for an answer of our own.
        let overhead = record.forwardedAt > .distantPast ? record.forwardedAt - record.startedAt : duration
        let tenant = record.tenant?.index ?? counters.tenantCount - 1
        let method = record.askedMethod ?? record.method
        counters.count(tenant: tenant, method: method, status: record.status, outcome: record.outcome)
        if let note = record.refresh { counters.count(tenant: tenant, refresh: note.event) }
        counters.time(tenant: tenant, duration: duration, overhead: overhead)
        if let trace = record.trace { finish(trace, &record, peer, at: end) }
        guard accessLog != nil else { return }
        log.append(record, peer: peer, duration: duration, overhead: overhead, unixTime: unixTime(at: end))
        if log.count > 32 << 10 { flushLog() }
    }

    /// The longest that one request may keep the loop from all others, in nanoseconds.
    static let longestTurn: UInt64 = 5_000_000

    /// - Parameter length: Nanoseconds, more than ``longestTurn``.
    func noteStall(_ length: UInt64) { counters.stalls.add(length) }

    /// Counts a refusal that is only observed.
    ///
    /// - Returns: How many were not logged since the last that was; nil where this one is not to be logged either.
    func countObserved(tenant: Int, _ code: RefusalCode, at now: MonotonicTime) -> UInt64? {
        counters.count(tenant: tenant, wouldRefuse: code)
        return observedSamples.take(tenant: tenant, code, at: now)
    }

    /// Hands over log lines and traces.
    func flush() {
        flushLog()
        tracing?.flush()
    }

    private func flushLog() {
        guard let accessLog, log.count > 0 else { return }
        accessLog.write(log.take())
    }

    func currentCounters() -> Counters {
        var counters = counters
        counters.clientBacklog = backlog.bytes
        counters.tokenCache = serving.authorizer.authenticator.cacheCounts
        return counters
    }
}

extension Worker: ShownCertificates {
    func certificate(forServerName serverName: String) -> ServerCertificate? {
        certificates?.identity(forServerName: serverName).files
    }
}
