package import Authorization
package import Counting
package import HTTPCore
package import Logging
package import NIOCore
import SharedState
package import Tenants
package import Time
package import Upstream
package import Verification

/// One event loop's share of the gateway: everything that a request uses, owned by this loop alone. It needs no lock
/// and no hop, because nothing here is touched from another thread.
package final class Worker {
    package let loop: LoopContext
    private var loopSettings: LoopSettings
    var connections: ClientConnections
    var telemetry: WorkerTelemetry
    var slowVerifiers: SlowVerifiers
    package private(set) var controlPlane: ControlPlane
    var copies = SharedCopies()
    /// For kept bodies.
    let replayRoom: ReplayBudget
    let mirrors: MirrorBudget
    package private(set) var serving: Serving
    /// See ``Parts/backendTLS``.
    private var backendTLS: [[BackendTLSContexts?]]
    private var hasLimits: Bool
    /// Certificates of TLS listeners; nil without one.
    package private(set) var certificates: ServerCertificates?
    /// Of servers, for all loops.
    package let probes: ServerProbes
    private var limitLedger: UnreportedRequests?
    /// How many requests wait for the keys of each source.
    var keySteps: [RemoteKeySource: Int] = [:]

    /// What a worker is made from; the same for all workers.
    package struct Parts: Sendable {
        package var snapshot: ConfigurationSnapshot
        package var directory: TenantDirectory
        package var gauge: ConnectionGauge
        package var accessLog: AccessLogWriter?
        package var traces: (any TraceSink)?
        package var loops: Int
        package var slowVerifiers: [SlowVerifier]
        package var controlPlane: ControlPlane
        package var proofNonces = ProofNonces()
        /// Nil if no tenant has a rate limit.
        package var limits: SharedLimits?
        package var certificates: ServerCertificates?
        /// By tenant and backend index; nil for a backend without `https` servers.
        package var backendTLS: [[BackendTLSContexts?]]
        package var names = ServerNames.system
        package let reachability = ServerReachability()
        package var logger: Logger

        package init(
            snapshot: ConfigurationSnapshot,
            directory: TenantDirectory,
            gauge: ConnectionGauge,
            accessLog: AccessLogWriter? = nil,
            traces: (any TraceSink)? = nil,
            loops: Int,
            slowVerifiers: [SlowVerifier],
            controlPlane: ControlPlane,
            proofNonces: ProofNonces = ProofNonces(),
            limits: SharedLimits? = nil,
            certificates: ServerCertificates? = nil,
            backendTLS: [[BackendTLSContexts?]],
            names: ServerNames = ServerNames.system,
            logger: Logger
        ) {
            self.snapshot = snapshot
            self.directory = directory
            self.gauge = gauge
            self.accessLog = accessLog
            self.traces = traces
            self.loops = loops
            self.slowVerifiers = slowVerifiers
            self.controlPlane = controlPlane
            self.proofNonces = proofNonces
            self.limits = limits
            self.certificates = certificates
            self.backendTLS = backendTLS
            self.names = names
            self.logger = logger
        }

        package var settings: GatewaySettings { snapshot.configuration.gateway }
    }

    package init(_ parts: Parts, eventLoop: any EventLoop) {
        loop = LoopContext(
            eventLoop,
            names: parts.names,
            logger: parts.logger,
            limits: parts.settings.limits,
            reachability: parts.reachability
        )
        probes = ServerProbes(loop: loop, loops: parts.loops)
        loopSettings = LoopSettings(parts.settings)
        connections = ClientConnections(parts.gauge, loop.allocator)
        telemetry = WorkerTelemetry(
            parts.accessLog,
            parts.traces,
            tenantCount: parts.snapshot.tenants.count,
            keepsRefusals: parts.settings.admin != nil
        )
        slowVerifiers = SlowVerifiers(parts.slowVerifiers)
        controlPlane = parts.controlPlane
        replayRoom = ReplayBudget(Self.mostReplayBytes / max(1, parts.loops))
        mirrors = MirrorBudget(bytes: Self.mostMirroredBytes / max(1, parts.loops))
        certificates = parts.certificates
        backendTLS = parts.backendTLS
        hasLimits = parts.limits != nil
        serving = Serving(tenants: [], directory: TenantDirectory([]), authenticator: Authenticator())
        serving = makeServing(parts, remaking: Array(repeating: true, count: parts.snapshot.tenants.count))
        loop.delegate = self
    }

    /// - Parameter isRemade: By tenant index; the other tenants stay what they are.
    private func makeServing(_ parts: Parts, remaking isRemade: [Bool]) -> Serving {
        Serving(
            generation: parts.snapshot.generation,
            tenants: isRemade.tenantIndices.map { isRemade[$0] ? tenant($0, parts) : serving.tenants[$0] },
            directory: parts.directory,
            tenantsByKeySource: parts.snapshot.tenantsByKeySource,
            authenticator: serving.authorizer.authenticator,
            redirectsToHTTPS: parts.settings.redirectsToHTTPS
        )
    }

    /// Makes the tenant at an index. Connections and revocations of its predecessor are kept.
    private func tenant(_ index: TenantIndex, _ parts: Parts) -> ServedTenant {
        let tenant = parts.snapshot.tenants[index]
        let previous = index.value < serving.tenants.count ? serving.tenants[index] : nil
        let backends = tenant.backends.backendIndices.map { backend in
            BackendServers(
                tenant.backends[backend],
                tls: parts.backendTLS[index][backend],
                loop: loop,
                loops: parts.loops,
                previous: previous?.backends.first { $0.name == tenant.backends[backend].name }
            )
        }
        previous?.closeBackends(notAmong: backends)
        let limits = parts.limits.flatMap { limits in
            let ledger = limitLedger ?? UnreportedRequests(eventLoop: eventLoop, settle: limits.settle)
            limitLedger = ledger
            return TenantLimits(tenant: index, limits.limiter, ledger, trustedProxies: settings.trustedProxies)
        }
        let runtime = TenantRuntime(
            index: index,
            revision: parts.snapshot.revisions[index],
            tenant: tenant,
            revocations: previous?.runtime.revocations,
            ruleCounts: previous?.runtime.ruleCounts,
            routeCounts: previous?.runtime.routeCounts,
            since: parts.snapshot.since,
            proofNonces: parts.proofNonces,
            limits: limits
        )
        copies.revocationWatch.limits.add(runtime.revocations.maximumStaleness)
        return ServedTenant(runtime, backends: backends)
    }

    /// Serves another configuration from the next request on, all of it at once. Requests under way go on as they
    /// began.
    ///
    /// - Parameter parts: Parts that a reload does not change are ignored.
    package func adopt(_ parts: Parts) {
        let isTrustOther = settings.trustedProxies != parts.settings.trustedProxies
        let isRemade = parts.snapshot.tenants.tenantIndices.map { index in
            isTrustOther || hasLimits != (parts.limits != nil) || isOther(index, in: parts)
        }
        loopSettings = LoopSettings(parts.settings)
        controlPlane = parts.controlPlane
        certificates = parts.certificates
        loop.spares.adopt(settings.limits)
        telemetry.grow(tenantCount: parts.snapshot.tenants.count)
        serving = makeServing(parts, remaking: isRemade)
        for tenant in serving.tenants where isRemade[tenant.index] {
            for source in tenant.tenant.authenticate.keySources where !source.isFile {
                if let keys = copies.keys[source] { _ = tenant.runtime.verification.use(keys, from: source) }
            }
            if let set = copies.unclaimedRevocations.removeValue(forKey: tenant.tenant.name) {
                tenant.runtime.revocations.use(set)
            }
            tenant.runtime.revocations.age(since: copies.revocationWatch.contact, at: loop.clocks.moment)
        }
        // A file may have changed, and changed back.
        for (source, keys) in parts.snapshot.keysInFiles { use(keys, from: source) }
        serving.authorizer.authenticator.forgetTokens { isRemade[$0.tenant] }
        backendTLS = parts.backendTLS
        hasLimits = parts.limits != nil
        if isTrustOther { for client in connections.all { client.trust(settings.trustedProxies) } }
    }

    /// Whether the tenant at an index is another than the one that is served.
    private func isOther(_ index: TenantIndex, in parts: Parts) -> Bool {
        guard index.value < serving.tenants.count else { return true }
        return serving.tenants[index].runtime.revision.number != parts.snapshot.revisions[index]
            || backendTLS[index] != parts.backendTLS[index]
    }

    /// Sets the certificates for new connections.
    package func use(_ certificates: ServerCertificates) { self.certificates = certificates }

    // MARK: Connections

    /// Returns whether the connection is within the limit; ``admit(_:)`` makes room if it is not.
    package func opened(_ client: any FrontConnection) -> ConnectionGauge.Admission {
        connections.add(client)
        telemetry.counters.openConnections += 1
        let admission = connections.gauge.opened(limit: settings.limits.connections)
        if isDraining { client.drain() }
        return admission
    }

    /// Replaces the handler of a connection in the list.
    package func handOver(from first: any FrontConnection, to second: any FrontConnection) {
        connections.handOver(from: first, to: second)
    }

    package func closed(_ client: any FrontConnection) {
        if connections.remove(client) { telemetry.counters.openConnections -= 1 }
    }

    /// Closes idle connections now, the others after their response, and what is left after `grace`.
    ///
    /// - Returns: Fulfilled when the last connection is closed.
    package func drain(grace: TimeAmount) -> EventLoopFuture<Void> {
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.scheduleTask(in: grace) { bound.value.closeClients() }
        let promise = eventLoop.makePromise(of: Void.self)
        connections.drain(promise)
        // Draining may close one, and so change the list.
        let draining = connections.all
        for client in draining { client.drain() }
        return promise.futureResult
    }

    private func closeClients() {
        let closing = connections.all
        for client in closing { client.closeNow() }
    }

    /// Closes all open connections.
    package func stop() {
        closeClients()
        probes.stop()
        serving.close()
        loop.stopTicking()
        telemetry.flush()
    }

    // MARK: Records of requests

    /// Keeps what the access log and the trace, if there are any, need of the head.
    package func logRequest(
        _ record: inout ExchangeRecord,
        _ head: RequestHead,
        _ bytes: Span<UInt8>,
        isBehindProxy: Bool
    ) {
        // Server capacity is shared by it too.
        if isBehindProxy {
            record.client.address = ClientAddress.read(head, bytes, trustedProxies: settings.trustedProxies)
        }
        guard telemetry.accessLog != nil else { return }
        keepHead(&record, head, bytes)
    }

    /// Keeps the head of a request that is refused, or would be, if the refusal is among those that are kept.
    package func keepRefusedHead(_ record: inout ExchangeRecord, _ head: RequestHead, _ bytes: Span<UInt8>) {
        let isKept = telemetry.refusals?.take(at: record.startedAt) ?? false
        record.isKept = isKept
        if isKept, record.request.logFragment.isEmpty { keepHead(&record, head, bytes) }
    }

    private func keepHead(_ record: inout ExchangeRecord, _ head: RequestHead, _ bytes: Span<UInt8>) {
        let target = head.target
        let end = (target.lowerBound..<target.upperBound).first { bytes[$0] == UInt8(ascii: "?") } ?? target.upperBound
        record.request.logFragment = AccessLogLines.fragment(
            tenant: record.tenant?.tenant.name,
            method: bytes.extracting(head.method),
            path: bytes.extracting(target.lowerBound..<end),
            query: settings.log.query ? LoggedQuery.text(bytes, end..<target.upperBound, record.tenant?.tenant) : []
        )
    }

    /// - Parameter end: When the response was complete.
    package func finished(_ record: inout ExchangeRecord, peer: Peer, at end: MonotonicTime) {
        guard !record.isFinished else { return }
        record.isFinished = true
        let duration = end - record.startedAt
        // Until the head went out to the backend; the whole time for a response of our own.
        let overhead =
            record.upstream.forwardedAt > .distantPast ? record.upstream.forwardedAt - record.startedAt : duration
        let tenant = record.tenant?.index ?? TenantIndex(telemetry.counters.tenantCount - 1)
        let method = record.request.askedMethod ?? record.request.method
        telemetry.counters.count(
            tenant: tenant,
            method: method,
            status: record.response.status,
            outcome: record.outcome
        )
        if let note = record.refresh { telemetry.counters.count(tenant: tenant, refresh: note.event) }
        telemetry.counters.time(tenant: tenant, duration: duration, overhead: overhead)
        if let trace = record.trace { finish(trace, &record, peer, at: end) }
        if case .refused(let code) = record.outcome, record.isKept ?? telemetry.refusals?.take(at: end) ?? false {
            telemetry.refusals?.add(record, code, peer: peer, at: unixTime(at: end))
        }
        guard telemetry.accessLog != nil else { return }
        telemetry.log.append(record, peer: peer, duration: duration, overhead: overhead, unixTime: unixTime(at: end))
        if telemetry.log.count > 32 << 10 { telemetry.flushLog() }
    }

    /// Counts an observed refusal.
    ///
    /// - Returns: How many were not logged since the last logged one; nil if this one is not to be logged either.
    func countObserved(tenant: TenantIndex, _ code: RefusalCode, at now: MonotonicTime) -> UInt64? {
        telemetry.counters.count(tenant: tenant, wouldRefuse: code)
        return telemetry.observedSamples.take(tenant: tenant, code, at: now)
    }

    /// How many requests each access rule of a tenant was for; nil if this loop has not adopted the tenant yet.
    package func ruleCounts(ofTenant index: TenantIndex) -> RuleCounts? {
        index.value < serving.tenants.count ? serving.tenants[index].runtime.ruleCounts : nil
    }

    /// The same of its routes; nil for a tenant without routes too.
    package func routeCounts(ofTenant index: TenantIndex) -> RouteCounts? {
        index.value < serving.tenants.count ? serving.tenants[index].runtime.routeCounts : nil
    }

    /// The last refusals on this loop; nil without an admin listener.
    package var recentRefusals: RecentRefusals? { telemetry.refusals }

    package func currentCounters() -> Counters {
        var counters = telemetry.counters
        counters.clientBacklog = connections.backlog.bytes
        counters.add(stalls: loop.faults.stalls, internalErrors: loop.faults.internalErrors)
        counters.tokenCache = serving.authorizer.authenticator.cacheCounts
        return counters
    }
}

extension Worker: PresentedCertificates {
    package func certificate(forServerName serverName: String) -> ServerCertificate? {
        certificates?.identity(forServerName: serverName).files
    }
}

// MARK: The loop

extension Worker {
    package var settings: GatewaySettings { loopSettings.gateway }
    package var parser: RequestHeadParser { loopSettings.parser }
    /// Nanoseconds.
    package var idleTimeout: UInt64 { loopSettings.idleTimeout }
    /// Nanoseconds.
    package var headerTimeout: UInt64 { loopSettings.headerTimeout }
    var isDraining: Bool { connections.isDraining }
    package var tracing: WorkerTracing? { telemetry.tracing }

    package var eventLoop: any EventLoop { loop.eventLoop }

    package func now() -> MonotonicTime { loop.now() }

    /// See ``LoopContext/lastTick``.
    package var lastTick: MonotonicTime { loop.lastTick }

    /// See ``LoopContext/unixTime(at:)``.
    package func unixTime(at monotonic: MonotonicTime) -> UnixTime { loop.unixTime(at: monotonic) }

    /// Starts the loop's ticks: timeouts, the date, and log output.
    package func start() { loop.start() }
}

extension Worker: LoopTickDelegate {
    package func loopTicked(at now: MonotonicTime) -> Bool {
        watchRevocations(at: now)
        introspectAhead()
        telemetry.flush()
        return copies.revocationWatch.isSearchDue
    }

    package func loopWoke(at now: MonotonicTime) {
        ageRevocations(at: now)
    }
}
