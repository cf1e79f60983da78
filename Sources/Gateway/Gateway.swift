public import Logging
import NIOCore
import NIOPosix
public import ServiceLifecycle
import Synchronization
public import Tenants

/// Where the gateway can be reached once it is started.
public struct BoundAddresses: Sendable, Equatable {
    /// In the order of the configuration.
    public var listeners: [HostPort]
    public var admin: HostPort?
}

/// The whole gateway: wires the parts, starts them in order of dependence and stops them in the reverse.
public final class Gateway: Service, Sendable {
    private enum State {
        case stopped
        case running(Running)
    }

    private struct Running {
        var group: MultiThreadedEventLoopGroup
        /// For signature checks that take too long for a worker.
        var slow: MultiThreadedEventLoopGroup
        var shared: SharedState
        var workers: [WorkerHandle]
        var doors: [any Channel]
        var admin: AdminServer?
        var watch: Task<Void, Never>?
    }

    private let configuration: TenantsConfiguration
    private let logger: Logger
    private let accessLog: AccessLogWriter?
    private let sealingKeys: Secret?
    private let files: any FileReading
    private let state = Mutex(State.stopped)

    /// - Parameters:
    ///   - configuration: What tenants.yaml says.
    ///   - accessLog: Where the lines go if `gateway.log.access` is on.
    ///   - sealingKeys: What secrets in the store are sealed with, as `GATEHOUSE_KEY` has it: 32 bytes in base64, or
    ///     several separated by commas, the newest first.
    ///   - files: Where the signing keys of the tenants' own issuers are read.
    public init(
        configuration: TenantsConfiguration,
        logger: Logger,
        accessLog: AccessLogDestination = .standardOutput,
        sealingKeys: Secret? = nil,
        files: any FileReading = DiskFiles()
    ) {
        self.configuration = configuration
        self.logger = logger
        self.sealingKeys = sealingKeys
        self.files = files
        self.accessLog = configuration.gateway.log.access ? AccessLogWriter.make(accessLog) : nil
    }

    /// Opens the listeners and begins to serve.
    ///
    /// - Throws: If an address cannot be listened on, or a certificate or the store cannot be used; nothing is left open
    ///   then.
    public func start() async throws -> BoundAddresses {
        let watch = GatewayCertificates.watch(configuration, logger: logger) { self.use($0) }
        let certificates = try await GatewayCertificates.load(configuration)
        let threads = configuration.gateway.threads
        let count = threads > 0 ? threads : System.coreCount
        let group = MultiThreadedEventLoopGroup(numberOfThreads: count)
        do {
            let shared = try SharedState(configuration, sealingKeys: sealingKeys, files: files, logger: logger)
            let slow = MultiThreadedEventLoopGroup(numberOfThreads: max(1, count - 1))
            let verifiers = slow.makeIterator().map { SlowVerifier(configuration.tenants, eventLoop: $0) }
            var running = Running(group: group, slow: slow, shared: shared, workers: [], doors: [], admin: nil)
            do {
                running.workers = try await makeWorkers(group, count, certificates, verifiers, shared.controlPlane)
                try await shared.start(running.workers, verifiers)
                let addresses = try await open(&running)
                probeServers(running.workers, certificates)
                running.watch = watch.map { watch in Task { await watch.run() } }
                state.withLock { $0 = .running(running) }
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

    /// Stops accepting, lets the requests under way finish within `shutdown_grace`, and closes the rest.
    public func shutdown() async {
        let running: Running? = state.withLock { state in
            guard case .running(let running) = state else { return nil }
            state = .stopped
            return running
        }
        guard let running else { return }
        logger.info("draining", metadata: ["grace": "\(configuration.gateway.shutdownGrace)"])
        for door in running.doors { try? await door.close() }
        await drain(running.workers)
        await close(running)
        try? await running.group.shutdownGracefully()
        logger.info("stopped")
    }

    /// Serves until the service group shuts down.
    public func run() async throws {
        let addresses = try await start()
        for address in addresses.listeners { logger.info("listening", metadata: ["address": "\(address)"]) }
        if let admin = addresses.admin { logger.info("admin listening", metadata: ["address": "\(admin)"]) }
        try? await gracefulShutdown()
        await shutdown()
    }

    /// Whether requests are taken: neither before the start nor in the shutdown.
    private var isServing: Bool {
        if case .running = state.withLock({ $0 }) { true } else { false }
    }

    // MARK: Starting

    private func makeWorkers(
        _ group: MultiThreadedEventLoopGroup,
        _ count: Int,
        _ certificates: GatewayCertificates,
        _ verifiers: [SlowVerifier],
        _ controlPlane: ControlPlane
    ) async throws -> [WorkerHandle] {
        let parts = Worker.Parts(
            configuration: configuration,
            directory: TenantDirectory(configuration.tenants),
            gauge: ConnectionGauge(),
            accessLog: accessLog,
            loops: count,
            slowVerifiers: verifiers,
            controlPlane: controlPlane,
            certificates: certificates.server,
            backendTLS: certificates.backends,
            logger: logger
        )
        var workers: [WorkerHandle] = []
        for eventLoop in group.makeIterator() {
            let worker = try await eventLoop.submit {
                let worker = Worker(parts, eventLoop: eventLoop)
                worker.start()
                return NIOLoopBound(worker, eventLoop: eventLoop)
            }.get()
            workers.append(WorkerHandle(eventLoop: eventLoop, worker: worker))
        }
        return workers
    }

    /// Servers are probed once for all loops, each from the loop whose turn it is; all are told.
    private func probeServers(_ workers: [WorkerHandle], _ certificates: GatewayCertificates) {
        var turn = 0
        for (tenant, settings) in configuration.tenants.enumerated() where settings.backend.health != nil {
            for (place, server) in settings.backend.servers.enumerated() {
                let prober = workers[turn % workers.count]
                turn += 1
                let tls = server.scheme == .https ? certificates.backends[tenant] : nil
                prober.tell { worker in
                    worker.probe(server, of: tenant, tls) { isUp in
                        for told in workers {
                            told.tell { $0.probed(tenant: tenant, server: place, isUp: isUp) }
                        }
                    }
                }
            }
        }
    }

    private func use(_ certificates: ServerCertificates) {
        guard case .running(let running) = state.withLock({ $0 }) else { return }
        for worker in running.workers { worker.tell { $0.use(certificates) } }
    }

    private func open(_ running: inout Running) async throws -> BoundAddresses {
        var addresses = BoundAddresses(listeners: [], admin: nil)
        if let settings = configuration.gateway.admin {
            let admin = AdminServer(
                settings,
                tenants: configuration.tenants,
                workers: running.workers,
                shared: running.shared,
                isServing: { [weak self] in self?.isServing == true },
                accessLog: accessLog,
                logger: logger
            )
            addresses.admin = try await admin.start()
            running.admin = admin
        }
        for listener in configuration.gateway.listeners {
            let (channels, address) = try await FrontDoor.open(listener, workers: running.workers)
            running.doors += channels
            addresses.listeners.append(address)
        }
        return addresses
    }

    // MARK: Stopping

    private func drain(_ workers: [WorkerHandle]) async {
        let grace = TimeAmount.nanoseconds(
            Int64(clamping: configuration.gateway.shutdownGrace.nanosecondsClamped)
        )
        let drained = workers.map { handle in
            let worker = handle.worker
            return handle.eventLoop.flatSubmit { worker.value.drain(grace: grace) }
        }
        for worker in drained { try? await worker.get() }
    }

    private func close(_ running: Running) async {
        running.watch?.cancel()
        for door in running.doors { try? await door.close() }
        // Refreshes under way need the loops' connections, and what they bring cannot be had again.
        await running.shared.refreshes.stop()
        for worker in running.workers { try? await worker.ask { $0.stop() } }
        await running.admin?.stop()
        await running.shared.stop()
        try? await running.slow.shutdownGracefully()
        await accessLog?.flush()
    }
}
