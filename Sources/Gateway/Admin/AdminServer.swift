import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization
import Tenants

/// The admin listener: health, readiness, metrics and revocations, apart from the tenants' traffic.
final class AdminServer: Sendable {
    private static let idleTimeout = TimeAmount.seconds(15)
    private static let shutdownGrace = Duration.seconds(5)

    private let settings: AdminSettings
    private let tenants: [Tenant]
    private let workers: [WorkerHandle]
    private let shared: SharedState
    private let isServing: @Sendable () -> Bool
    private let accessLog: AccessLogWriter?
    private let logger: Logger
    private let running = Mutex<(group: ServiceGroup, task: Task<Void, Never>)?>(nil)

    init(
        _ settings: AdminSettings,
        tenants: [Tenant],
        workers: [WorkerHandle],
        shared: SharedState,
        isServing: @escaping @Sendable () -> Bool,
        accessLog: AccessLogWriter?,
        logger: Logger
    ) {
        self.settings = settings
        self.tenants = tenants
        self.workers = workers
        self.shared = shared
        self.isServing = isServing
        self.accessLog = accessLog
        self.logger = logger
    }

    /// - Returns: The address, with the port that a 0 was replaced by.
    func start() async throws -> HostPort {
        let (ports, continuation) = AsyncThrowingStream.makeStream(of: Int.self)
        var quiet = logger
        quiet.logLevel = .warning
        let application = Application(
            router: router(),
            // Nobody else talks to it, so that whoever goes silent in the middle of a request has gone.
            server: .http1(configuration: .init(idleTimeout: Self.idleTimeout)),
            configuration: .init(address: .hostname(settings.address.host, port: settings.address.port)),
            onServerRunning: { channel in continuation.yield(channel.localAddress?.port ?? 0) },
            logger: quiet
        )
        var services = ServiceGroupConfiguration(services: [application], logger: quiet)
        services.maximumGracefulShutdownDuration = Self.shutdownGrace
        let group = ServiceGroup(configuration: services)
        let task = Task {
            do {
                try await group.run()
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
            }
        }
        running.withLock { $0 = (group, task) }
        for try await port in ports {
            return HostPort(host: settings.address.host, port: port)
        }
        throw CancellationError()
    }

    func stop() async {
        let stopping = running.withLock { running in
            let stopping = running
            running = nil
            return stopping
        }
        guard let stopping else { return }
        await stopping.group.triggerGracefulShutdown()
        await stopping.task.value
    }

    private func router() -> Router<BasicRequestContext> {
        let router = Router()
        router.get("/healthz") { _, _ in "ok\n" }
        router.get("/readyz") { _, _ -> Response in
            let missing = self.isServing() ? await self.shared.missing() : ["no requests are taken"]
            return missing.isEmpty
                ? Response(status: .ok, body: .init(byteBuffer: ByteBuffer(string: "ready\n")))
                : Response(
                    status: .serviceUnavailable,
                    body: .init(byteBuffer: ByteBuffer(string: "not ready: \(missing.joined(separator: "; "))\n"))
                )
        }
        router.add(middleware: AdminAccess(settings))
        router.get("/metrics") { _, _ -> Response in
            Response(
                status: .ok,
                headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
                body: .init(byteBuffer: ByteBuffer(string: try await self.metrics()))
            )
        }
        let desk = RevocationDesk(
            tenants: tenants,
            store: shared.store,
            keeper: shared.revocations,
            logger: logger
        )
        RevocationRoutes(desk).add(to: router)
        KeysRoutes(KeysDesk(tenants: tenants, keys: byTenant(shared.issuers.storedKeys), logger: logger))
            .add(to: router)
        let sessions = SessionsDesk(
            tenants: tenants,
            sessions: byTenant { self.shared.issuers.books[$0] },
            logger: logger
        )
        SessionsRoutes(sessions).add(to: router)
        return router
    }

    /// - Parameter value: Of the tenant at a place; nil for one that has none.
    private func byTenant<Value>(_ value: (Int) -> Value?) -> [String: Value] {
        var values: [String: Value] = [:]
        for (place, tenant) in tenants.enumerated() { values[tenant.name] = value(place) }
        return values
    }

    private func metrics() async throws -> String {
        var sum = Counters(tenantCount: tenants.count)
        var backends: [BackendCount] = []
        for worker in workers {
            let (counters, counts) = try await worker.ask { ($0.currentCounters(), $0.backendCounts()) }
            sum.add(counters)
            backends = backends.isEmpty ? counts : zip(backends, counts).map { $0 + $1 }
        }
        return MetricsText(
            tenants: tenants.map(\.name),
            counters: sum,
            backends: backends,
            shared: await SharedCount(shared),
            lostLogBytes: accessLog?.lost ?? 0
        ).text
    }
}
