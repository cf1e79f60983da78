public import Logging
import NIOCore
import NIOPosix
public import ServiceLifecycle
import Synchronization
public import Tenants

/// Where the gateway can be reached once it is started.
public struct BoundAddresses: Sendable, Equatable {
    /// In the order of the configuration, without listeners that are not opened yet.
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
        var workers: [WorkerHandle]
        var doors: [any Channel]
        var admin: AdminServer?
    }

    private let configuration: TenantsConfiguration
    private let logger: Logger
    private let accessLog: AccessLogWriter?
    private let readiness = Readiness()
    private let state = Mutex(State.stopped)

    /// - Parameters:
    ///   - configuration: What tenants.yaml says.
    ///   - accessLog: Where the lines go if `gateway.log.access` is on.
    public init(
        configuration: TenantsConfiguration,
        logger: Logger,
        accessLog: AccessLogDestination = .standardOutput
    ) {
        self.configuration = configuration
        self.logger = logger
        self.accessLog = configuration.gateway.log.access ? AccessLogWriter(accessLog) : nil
    }

    /// Opens the listeners and begins to serve.
    ///
    /// - Throws: If an address cannot be listened on; nothing is left open then.
    public func start() async throws -> BoundAddresses {
        let threads = configuration.gateway.threads
        let count = threads > 0 ? threads : System.coreCount
        let group = MultiThreadedEventLoopGroup(numberOfThreads: count)
        do {
            let workers = try await makeWorkers(group, count)
            var running = Running(group: group, workers: workers, doors: [], admin: nil)
            do {
                let addresses = try await open(&running)
                state.withLock { $0 = .running(running) }
                readiness.set(true)
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
        readiness.set(false)
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

    // MARK: Starting

    private func makeWorkers(_ group: MultiThreadedEventLoopGroup, _ count: Int) async throws -> [WorkerHandle] {
        let parts = Worker.Parts(
            configuration: configuration,
            directory: TenantDirectory(configuration.tenants),
            gauge: ConnectionGauge(),
            accessLog: accessLog,
            loops: count,
            slowVerifiers: (0..<max(1, count - 1)).map { _ in SlowVerifier(configuration.tenants) }
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

    private func open(_ running: inout Running) async throws -> BoundAddresses {
        var addresses = BoundAddresses(listeners: [], admin: nil)
        if let settings = configuration.gateway.admin {
            let admin = AdminServer(
                settings,
                tenants: configuration.tenants.map(\.name),
                workers: running.workers,
                readiness: readiness,
                accessLog: accessLog,
                logger: logger
            )
            addresses.admin = try await admin.start()
            running.admin = admin
        }
        for listener in configuration.gateway.listeners where !listener.tls {
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
        for door in running.doors { try? await door.close() }
        for worker in running.workers { try? await worker.ask { $0.stop() } }
        await running.admin?.stop()
        await accessLog?.flush()
    }
}

/// Whether the gateway takes requests: what a load balancer asks.
final class Readiness: Sendable {
    private let isReady = Atomic<Bool>(false)

    var value: Bool { isReady.load(ordering: .relaxed) }

    func set(_ value: Bool) { isReady.store(value, ordering: .relaxed) }
}
