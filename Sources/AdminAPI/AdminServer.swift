import HTTPTypes
import Hummingbird
import HummingbirdCore
public import Logging
import NIOCore
import ServiceLifecycle
public import SharedState
public import Store
import Synchronization
public import Tenants
import Time

/// The admin listener: health, readiness, metrics and revocations, apart from the tenants' traffic.
public final class AdminServer: Sendable {
    private static let idleTimeout = TimeAmount.seconds(15)
    private static let shutdownGrace = Duration.seconds(5)

    private let settings: AdminSettings
    private let live: LiveConfiguration
    private let gateway: any AdministeredGateway
    private let store: any Store
    private let revocations: RevocationService
    private let certificates: (any AdminCertificates)?
    private let version: String
    private let logger: Logger
    private let auditLogger: Logger
    private let startedAt = Clock.unix()
    private let separateTenants = Mutex(SeparateTenants())
    private let running = Mutex<(group: ServiceGroup, task: Task<Void, Never>)?>(nil)

    /// - Parameters:
    ///   - certificates: nil for plain text.
    ///   - version: The gateway's version.
    ///   - auditLogger: Logs each change, whatever its level.
    public init(
        _ settings: AdminSettings,
        live: LiveConfiguration,
        gateway: any AdministeredGateway,
        store: any Store,
        revocations: RevocationService,
        certificates: (any AdminCertificates)?,
        version: String,
        logger: Logger,
        auditLogger: Logger
    ) {
        self.settings = settings
        self.live = live
        self.gateway = gateway
        self.store = store
        self.revocations = revocations
        self.certificates = certificates
        self.version = version
        self.logger = logger
        self.auditLogger = auditLogger
    }

    /// Opens the listener.
    ///
    /// - Returns: The address, with the actual port instead of 0.
    /// - Throws: If the address cannot be bound.
    public func start() async throws -> HostPort {
        let (ports, continuation) = AsyncThrowingStream.makeStream(of: Int.self)
        var quiet = logger
        quiet.logLevel = .warning
        let application = Application(
            router: router(),
            // Closes connections that are silent in the middle of a request.
            server: .admin(HTTP1Channel.Configuration(idleTimeout: Self.idleTimeout), certificates),
            configuration: .init(address: .hostname(settings.address.host, port: settings.address.port)),
            onServerRunning: { channel in continuation.yield(channel.localAddress?.port ?? 0) },
            logger: quiet
        )
        var services = ServiceGroupConfiguration(services: [application], logger: quiet)
        services.maximumGracefulShutdownDuration = Self.shutdownGrace
        let group = ServiceGroup(configuration: services)
        let task = Task { [certificates] in
            let watching = certificates.map { certificates in Task { await certificates.watchFiles() } }
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

    /// Closes the listener; requests under way have 5 seconds.
    public func stop() async {
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
        router.add(middleware: AdminProblemMiddleware(methods: AdminDocument.methods, logger: logger))
        router.get("/healthz") { _, _ in Response(text: "ok\n") }
        router.get("/readyz") { _, _ -> Response in
            let missing = await self.gateway.missing()
            guard missing.isEmpty else {
                return Response(text: "not ready: \(missing.joined(separator: "; "))\n", status: .serviceUnavailable)
            }
            let limitations = await self.gateway.limitations()
            return Response(text: (["ready"] + limitations).joined(separator: "; ") + "\n")
        }
        let audit = AuditLog(auditLogger)
        let access = AdminAccess(live: live, settings: settings, certificates: certificates, audit: audit)
        DashboardRoutes { await access.needsToken($0) }.add(to: router)
        router.add(middleware: access)
        AdminDocument.add(to: router, version: version)
        router.get("/metrics") { request, _ -> Response in
            let format = MetricsFormat(accept: request.headers[values: .accept])
            return Response(text: try await self.metrics(format), contentType: format.contentType)
        }
        addReports(to: router)
        addChanges(to: router, audit)
        return router
    }

    private func addReports(to router: Router<AdminContext>) {
        let gateway = gateway
        let reporter = GatewayReporter(
            live: live,
            count: { try await gateway.count() },
            keySets: { await gateway.keySets() },
            faulty: { gateway.faultyTenants },
            version: version,
            startedAt: startedAt
        )
        TenantsRoutes(reporter).add(to: router)
        EventsRoutes(ReportFeed { try await reporter.event(watching: $0) }).add(to: router)
        let rules = RulesHandler(
            live: live,
            counts: { try await gateway.ruleCounts(ofTenant: $0) },
            routeCounts: { try await gateway.routeCounts(ofTenant: $0) }
        )
        RulesRoutes(handler: rules).add(to: router)
        let refusals = RefusalsHandler(live: live) { try await gateway.recentRefusals(ofTenant: $0) }
        RefusalsRoutes(handler: refusals).add(to: router)
        let deletions = DeletionsHandler(live: live, deletions: { gateway.deletions }, logger: logger)
        DeletionsRoutes(handler: deletions).add(to: router)
        CertificatesRoutes(certificates: { gateway.certificates() }).add(to: router)
        let explaining = ExplainHandler(live: live) { try await gateway.explain($0, of: $1) }
        ExplainRoutes(explaining).add(to: router)
    }

    private func addChanges(to router: Router<AdminContext>, _ audit: AuditLog) {
        let gateway = gateway
        let revoking = RevocationHandler(live: live, store: store, service: revocations, logger: logger)
        RevocationRoutes(handler: revoking, audit: audit).add(to: router)
        let keys = KeysHandler(live: live, keys: { gateway.storedKeys(ofTenant: $0) }, logger: logger)
        KeysRoutes(handler: keys, audit: audit).add(to: router)
        let sessions = SessionsHandler(live: live, sessions: { gateway.sessions(ofTenant: $0) }, logger: logger)
        SessionsRoutes(handler: sessions, audit: audit).add(to: router)
        let accounts = AccountsHandler(live: live, accounts: { gateway.accounts(ofTenant: $0) }, logger: logger)
        AccountsRoutes(handler: accounts, audit: audit).add(to: router)
        let tenants = StoredTenantHandler(
            live: live,
            service: gateway.storedTenants,
            judge: { await gateway.judge($0) },
            faulty: { gateway.faultyTenants },
            logger: logger
        )
        StoredTenantRoutes(handler: tenants, audit: audit).add(to: router)
        ReloadRoutes(live: live, reload: { await gateway.reload() }, audit: audit).add(to: router)
    }

    private func metrics(_ format: MetricsFormat) async throws -> String {
        var reading = MetricsReading(try await gateway.count(), ConfigurationCount(live))
        reading.lostLogBytes = gateway.lostAccessLogBytes
        reading.lostLogLines = gateway.lostLogLines
        reading.process = ProcessStatistics.current()
        let limit = live.current.configuration.gateway.metrics.tenants
        let requests = reading.counters.requestsByTenant
        let isApart = separateTenants.withLock { $0.choose(among: reading.tenants, requests: requests, limit: limit) }
        reading = reading.grouped(isApart)
        reading.mostKeySets = limit
        return MetricsText(reading, format).text
    }
}
