import AdminAPI
import Authorization
import ConfigurationText
import Epoll
import ExtAuthz
public import Logging
import NIOCore
import NIOPosix
public import Proxy
public import ServiceLifecycle
import Synchronization
public import Tenants
import Time
package import Upstream

/// The gateway's addresses once it is started.
public struct BoundAddresses: Sendable, Equatable {
    /// In the order of the configuration.
    public var listeners: [HostPort]
    public var admin: HostPort?
    /// Of Envoy's gRPC ext_authz.
    public var extAuthz: HostPort?
}

/// The whole gateway: wires the parts, starts them in order of dependence and stops them in the reverse.
public final class Gateway: Service, Sendable {
    enum State {
        case stopped
        case running(Running)
    }

    struct Running {
        var group: EpollLoopGroup
        /// For signature checks that are too slow for a worker.
        var slow: MultiThreadedEventLoopGroup
        var shared: SharedServices
        /// The parts that the workers were made from, or adopted last.
        var parts: Worker.Parts
        var workers: [WorkerHandle]
        var sockets: [ProxyListeners.ListeningSocket] = []
        var admin: AdminServer?
        var extAuthz: AuthorizationServer?
        /// Watches the server certificates' files.
        var watch: Task<Void, Never>?
    }

    /// Reads the configuration again, with all files that it names.
    public typealias Reading = @Sendable (ReadingRequest) async -> ReadResult

    let logger: Logger
    let live: LiveConfiguration
    private let accessLog: AccessLogWriter?
    private let observe: @Sendable (GatewayEvent) -> Void
    private let sealingKeys: Secret?
    private let files: any FileReading
    /// Nil if the configuration cannot be reloaded.
    let reading: Reading?
    private let names: ServerNames
    private let reloads = WorkQueue()
    let state = Mutex(State.stopped)
    /// The tenants of the store as they were read last.
    let knownTenants = KnownTenants()
    /// Of the tenants in the store, what was wrong when they were read last.
    let faultyTenants = Mutex<[String: [Diagnostic]]>([:])

    /// - Parameters:
    ///   - configuration: The parsed tenants.yaml.
    ///   - observe: Called with events while it ``run()``s.
    ///   - accessLog: Where the lines go if `gateway.log.access` is on.
    ///   - sealingKeys: The keys for secrets in the store, in the form of `GATEHOUSE_KEY`: 32 bytes in base64, or
    ///     several separated by commas, the newest first.
    ///   - files: Reads the signing keys of the tenants' own issuers.
    ///   - reading: Reloads the configuration for ``reload(because:)``.
    public convenience init(
        configuration: TenantsConfiguration,
        logger: Logger,
        observe: @escaping @Sendable (GatewayEvent) -> Void = { _ in },
        accessLog: AccessLogDestination = .standardOutput,
        sealingKeys: Secret? = nil,
        files: any FileReading = DiskFiles(),
        reading: Reading? = nil
    ) {
        self.init(
            configuration: configuration,
            logger: logger,
            observe: observe,
            accessLog: accessLog,
            sealingKeys: sealingKeys,
            files: files,
            reading: reading,
            names: .system
        )
    }

    /// - Parameter names: Resolves the servers' names.
    package init(
        configuration: TenantsConfiguration,
        logger: Logger,
        observe: @escaping @Sendable (GatewayEvent) -> Void = { _ in },
        accessLog: AccessLogDestination = .standardOutput,
        sealingKeys: Secret? = nil,
        files: any FileReading = DiskFiles(),
        reading: Reading? = nil,
        names: ServerNames
    ) {
        live = LiveConfiguration(ConfigurationSnapshot(configuration, at: Clock.unix()))
        self.logger = logger
        self.sealingKeys = sealingKeys
        self.observe = observe
        self.names = names
        self.files = files
        self.reading = reading
        self.accessLog = configuration.gateway.log.access ? AccessLogWriter.make(accessLog) : nil
    }

    /// Opens the listeners and begins to serve.
    ///
    /// - Throws: If an address cannot be bound, or a certificate or the store cannot be used; then nothing is left
    ///   open.
    public func start() async throws -> BoundAddresses {
        let snapshot = live.current
        let watch = GatewayCertificates.watch(snapshot.configuration, logger: logger) {
            self.use($0, of: snapshot.generation)
        }
        let certificates = try await GatewayCertificates.load(snapshot)
        let threads = snapshot.configuration.gateway.threads
        let count = threads > 0 ? threads : System.coreCount
        let group = try EpollLoopGroup(count: count)
        do {
            let shared = try SharedServices(snapshot, sealingKeys: sealingKeys, files: files, logger: logger) {
                [weak self] in await self?.storedTenantsChanged() ?? true
            }
            let slow = MultiThreadedEventLoopGroup(numberOfThreads: max(1, count - 1))
            let verifiers = slow.makeIterator().map { SlowVerifier(snapshot, eventLoop: $0) }
            let parts = parts(snapshot, count, certificates, verifiers, shared)
            var running = Running(group: group, slow: slow, shared: shared, parts: parts, workers: [])
            do {
                running.workers = try await makeWorkers(group, parts)
                try await shared.start(running.workers, verifiers)
                // Other reloads find nothing running yet.
                running = await reloads.run { [self, running] in await withStoredTenants(running) }
                let addresses = try await open(&running)
                for index in snapshot.indices { probeServers(of: index, running) }
                // Tenants of the store have brought a watch of their own.
                if running.parts.snapshot.generation == snapshot.generation {
                    running.watch = watch.map { watch in Task { await watch.run() } }
                }
                state.withLock { $0 = .running(running) }
                shared.followStoredTenants()
                return addresses
            } catch {
                await close(running)
                throw error
            }
        } catch {
            try? await group.shutdownGracefully()
            throw error
        }
    }

    /// Reports not ready for `shutdown_delay`, then stops accepting, lets the requests under way finish within
    /// `shutdown_grace`, and closes the rest.
    public func shutdown() async {
        // A reload under way ends first; later ones find nothing running.
        let running: Running? = await reloads.run { [self] in
            state.withLock { state in
                guard case .running(let running) = state else { return nil }
                state = .stopped
                return running
            }
        }
        guard let running else { return }
        let settings = live.current.configuration.gateway
        let (delay, grace) = (settings.shutdownDelay, settings.shutdownGrace)
        if delay > .zero {
            logger.info("not ready any more", metadata: ["delay": "\(delay)"])
            try? await Task.sleep(for: delay)
        }
        logger.info("draining", metadata: ["grace": "\(grace)"])
        for socket in running.sockets { await socket.close() }
        async let queries: Void? = running.extAuthz?.stop(grace: grace)
        await drain(running.workers, grace: grace)
        await queries
        await close(running)
        try? await running.group.shutdownGracefully()
        logger.info("stopped")
    }

    /// Serves until the service group shuts down.
    public func run() async throws {
        let addresses = try await start()
        for address in addresses.listeners { logger.info("listening", metadata: ["address": "\(address)"]) }
        if let admin = addresses.admin { logger.info("admin listening", metadata: ["address": "\(admin)"]) }
        if let gRPC = addresses.extAuthz { logger.info("ext_authz listening", metadata: ["address": "\(gRPC)"]) }
        observe(.started)
        try? await gracefulShutdown()
        observe(.stopping)
        await shutdown()
    }

    /// Reloads the configuration and puts it into force, whole or not at all: if it has a mistake, or something in it
    /// cannot be used, the previous one stays in force. No request is lost. Reloads run one at a time.
    public func reload(because trigger: ReloadTrigger) async -> ReloadReport {
        await reloads.run { [self] in
            guard reading != nil, let running = runningNow else {
                let reason = "the configuration cannot be reloaded here"
                return ReloadReport(result: .refused, generation: live.current.generation, mistakes: [reason])
            }
            observe(.reloading)
            let report = await reloadNow(running, because: trigger)
            observe(.reloaded(report))
            return report
        }
    }

    /// Returns once every event loop has had a turn: never, if one hangs.
    ///
    /// - Returns: Whether anything runs; at once, if not.
    public func turn() async -> Bool {
        guard let running = runningNow else { return false }
        for worker in running.workers { try? await worker.submit { _ in } }
        return true
    }

    /// Nil before the start and during the shutdown.
    var runningNow: Running? {
        if case .running(let running) = state.withLock({ $0 }) { running } else { nil }
    }

    // MARK: Starting

    private func parts(
        _ snapshot: ConfigurationSnapshot,
        _ count: Int,
        _ certificates: GatewayCertificates,
        _ verifiers: [SlowVerifier],
        _ shared: SharedServices
    ) -> Worker.Parts {
        Worker.Parts(
            snapshot: snapshot,
            directory: TenantDirectory(snapshot.tenants),
            gauge: ConnectionGauge(),
            accessLog: accessLog,
            traces: shared.traces,
            loops: count,
            slowVerifiers: verifiers,
            controlPlane: shared.controlPlane(shared.parts),
            proofNonces: shared.proofNonces,
            limits: shared.limits,
            certificates: certificates.server,
            backendTLS: certificates.backends,
            names: names,
            logger: logger
        )
    }

    private func makeWorkers(_ group: EpollLoopGroup, _ parts: Worker.Parts) async throws -> [WorkerHandle] {
        var workers: [WorkerHandle] = []
        for eventLoop in group.loops {
            let worker = try await eventLoop.submit {
                let worker = Worker(parts, eventLoop: eventLoop)
                worker.start()
                return NIOLoopBound(worker, eventLoop: eventLoop)
            }.get()
            workers.append(WorkerHandle(eventLoop: eventLoop, worker: worker))
        }
        return workers
    }

    /// Uses reloaded certificates, but only for the configuration that they were read for.
    func use(_ certificates: ServerCertificates, of generation: UInt64) {
        let workers = state.withLock { state -> [WorkerHandle] in
            guard case .running(var running) = state, running.parts.snapshot.generation == generation else { return [] }
            running.parts.certificates = certificates
            state = .running(running)
            return running.workers
        }
        for worker in workers {
            worker.execute { worker in
                if worker.serving.generation == generation { worker.use(certificates) }
            }
        }
    }

    private func open(_ running: inout Running) async throws -> BoundAddresses {
        var addresses = BoundAddresses(listeners: [])
        let gateway = running.parts.settings
        if let settings = gateway.admin {
            (running.admin, addresses.admin) = try await open(settings, running)
        }
        if let settings = gateway.extAuthz {
            (running.extAuthz, addresses.extAuthz) = try await open(settings, running)
        }
        for listener in gateway.listeners {
            let socket = try await ProxyListeners.open(listener, workers: running.workers)
            running.sockets.append(socket)
            try await ProxyListeners.unlock(socket)
            addresses.listeners.append(socket.address)
        }
        return addresses
    }

    private func open(_ settings: AdminSettings, _ running: Running) async throws -> (AdminServer, HostPort) {
        let logger = logger.of(.admin)
        let tls: AdminTLS? =
            if let files = settings.tls { try await AdminTLS.load(files, logger: logger) } else { nil }
        let administration = GatewayAdministration(
            live: live,
            workers: running.workers,
            shared: running.shared,
            isServing: { [weak self] in self?.runningNow != nil },
            readAnew: { [weak self] in
                await self?.reload(because: .admin)
                    ?? ReloadReport(result: .refused, generation: 0, mistakes: ["the gateway has stopped"])
            },
            judgeTenants: { [weak self] in await self?.judge($0) },
            faulty: { [weak self] in self?.faultyTenants.withLock { $0 } ?? [:] },
            certificatesInUse: { [weak self] in
                self?.runningNow.map { CertificateStatus.all(of: $0.parts, admin: tls) } ?? []
            },
            accessLog: accessLog,
            logger: logger
        )
        let admin = AdminServer(
            settings,
            live: live,
            gateway: administration,
            store: running.shared.store,
            revocations: running.shared.revocations,
            certificates: tls,
            version: GatewayVersion.number,
            logger: logger,
            auditLogger: logger.of(.audit)
        )
        return (admin, try await admin.start())
    }

    private func open(_ settings: ExtAuthzSettings, _ running: Running) async throws -> (AuthorizationServer, HostPort)
    {
        let limits = running.parts.settings.limits
        let server = try AuthorizationServer(
            host: settings.address.host,
            port: settings.address.port,
            maximumHeadBytes: limits.headerBytes,
            idleTimeout: limits.idleTimeout,
            eventLoops: MultiThreadedEventLoopGroup.singleton,
            authorizer: ExtAuthzService(workers: running.workers, live: live)
        )
        let port = try await server.start()
        return (server, HostPort(host: settings.address.host, port: port))
    }

    // MARK: Stopping

    private func drain(_ workers: [WorkerHandle], grace: Duration) async {
        let grace = TimeAmount.nanoseconds(Int64(clamping: grace.nanosecondsClamped))
        let drained = workers.map { handle in
            let worker = handle.worker
            return handle.eventLoop.flatSubmit { worker.value.drain(grace: grace) }
        }
        for worker in drained { try? await worker.get() }
    }

    private func close(_ running: Running) async {
        running.watch?.cancel()
        for socket in running.sockets { await socket.close() }
        await running.extAuthz?.stop(grace: .zero)
        // Refreshes under way need the loops' connections, and their results cannot be obtained again.
        await running.shared.refreshes.stop()
        for worker in running.workers { try? await worker.submit { $0.stop() } }
        await running.admin?.stop()
        await running.shared.stop()
        try? await running.slow.shutdownGracefully()
        if await accessLog?.flush() == false {
            logger.warning("the last lines of the access log are not written", metadata: ["reason": "no reader"])
        }
    }
}
