import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization
import Tenants
import Time

/// The admin listener: health, readiness, metrics and revocations, apart from the tenants' traffic.
final class AdminServer: Sendable {
    private static let idleTimeout = TimeAmount.seconds(15)
    private static let shutdownGrace = Duration.seconds(5)

    private let settings: AdminSettings
    private let live: LiveConfiguration
    private let workers: [WorkerHandle]
    private let shared: SharedState
    private let isServing: @Sendable () -> Bool
    private let reload: @Sendable (ReloadTrigger) async -> ReloadReport
    private let accessLog: AccessLogWriter?
    private let logger: Logger
    /// Unix seconds.
    private let startedAt = Clock.unix()
    private let running = Mutex<(group: ServiceGroup, task: Task<Void, Never>)?>(nil)

    /// - Parameter reload: Reads the configuration anew.
    init(
        _ settings: AdminSettings,
        live: LiveConfiguration,
        workers: [WorkerHandle],
        shared: SharedState,
        isServing: @escaping @Sendable () -> Bool,
        reload: @escaping @Sendable (ReloadTrigger) async -> ReloadReport,
        accessLog: AccessLogWriter?,
        logger: Logger
    ) {
        self.settings = settings
        self.live = live
        self.workers = workers
        self.shared = shared
        self.isServing = isServing
        self.reload = reload
        self.accessLog = accessLog
        self.logger = logger
    }

    /// - Returns: The address, with the port that a 0 was replaced by.
    func start() async throws -> HostPort {
        let (ports, continuation) = AsyncThrowingStream.makeStream(of: Int.self)
        var quiet = logger
        quiet.logLevel = .warning
        let tls: AdminTLS? =
            if let files = settings.tls { try await AdminTLS.load(files, logger: logger) } else { nil }
        let application = Application(
            router: router(),
            // Nobody else talks to it, so that whoever goes silent in the middle of a request has gone.
            server: .admin(HTTP1Channel.Configuration(idleTimeout: Self.idleTimeout), tls),
            configuration: .init(address: .hostname(settings.address.host, port: settings.address.port)),
            onServerRunning: { channel in continuation.yield(channel.localAddress?.port ?? 0) },
            logger: quiet
        )
        var services = ServiceGroupConfiguration(services: [application], logger: quiet)
        services.maximumGracefulShutdownDuration = Self.shutdownGrace
        let group = ServiceGroup(configuration: services)
        let task = Task {
            let watching = tls.map { tls in Task { await tls.keepUp() } }
            defer { watching?.cancel() }
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

    private func router() -> Router<AdminContext> {
        let router = Router(context: AdminContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: AdminProblems(methods: AdminDocument.methods, logger: logger))
        router.get("/healthz") { _, _ in Response(text: "ok\n") }
        router.get("/readyz") { _, _ -> Response in
            let missing = self.isServing() ? await self.shared.missing() : ["no requests are taken"]
            return missing.isEmpty
                ? Response(text: "ready\n")
                : Response(text: "not ready: \(missing.joined(separator: "; "))\n", status: .serviceUnavailable)
        }
        let audit = AuditLog(logger)
        let access = AdminAccess(live: live, settings: settings, audit: audit)
        DashboardRoutes { await access.needsToken($0) }.add(to: router)
        router.add(middleware: access)
        AdminDocument.add(to: router)
        router.get("/metrics") { request, _ -> Response in
            let format = MetricsFormat(accept: request.headers[values: .accept])
            return Response(text: try await self.metrics(format), contentType: format.contentType)
        }
        addReports(to: router)
        addChanges(to: router, audit)
        return router
    }

    private func addReports(to router: Router<AdminContext>) {
        let reporter = GatewayReporter(live: live, workers: workers, shared: shared, startedAt: startedAt)
        TenantsRoutes(reporter).add(to: router)
        EventsRoutes(ReportFeed { try await reporter.report().json }).add(to: router)
        ExplainRoutes(ExplainDesk(live: live, loops: shared.loops)).add(to: router)
    }

    private func addChanges(to router: Router<AdminContext>, _ audit: AuditLog) {
        let revocations = RevocationDesk(live: live, store: shared.store, keeper: shared.revocations, logger: logger)
        RevocationRoutes(desk: revocations, audit: audit).add(to: router)
        // Asked anew each time: a reload puts others in their place.
        let keys = KeysDesk(
            live: live,
            keys: { [shared] place in shared.issuers.storedKeys(ofTenant: place) },
            logger: logger
        )
        KeysRoutes(desk: keys, audit: audit).add(to: router)
        let sessions = SessionsDesk(
            live: live,
            sessions: { [shared] place in shared.issuers.books[place] },
            logger: logger
        )
        SessionsRoutes(desk: sessions, audit: audit).add(to: router)
        ReloadRoutes(reload: reload, audit: audit).add(to: router)
    }

    private func metrics(_ format: MetricsFormat) async throws -> String {
        let count = try await GatewayCount.take(from: workers, live, shared)
        return MetricsText(
            tenants: count.edition.names,
            configuration: ConfigurationCount(live),
            counters: count.counters,
            backends: count.backends,
            shared: count.shared,
            lostLogBytes: accessLog?.lost ?? 0,
            lostLogLines: logger.lostLines,
            process: ProcessStatistics.current(),
            format: format
        ).text
    }
}
