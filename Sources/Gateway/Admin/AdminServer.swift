import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization
import Tenants

/// The admin listener: health, readiness and metrics, apart from the tenants' traffic.
final class AdminServer: Sendable {
    private let settings: AdminSettings
    private let tenants: [String]
    private let workers: [WorkerHandle]
    private let readiness: Readiness
    private let accessLog: AccessLogWriter?
    private let logger: Logger
    private let running = Mutex<(group: ServiceGroup, task: Task<Void, Never>)?>(nil)

    init(
        _ settings: AdminSettings,
        tenants: [String],
        workers: [WorkerHandle],
        readiness: Readiness,
        accessLog: AccessLogWriter?,
        logger: Logger
    ) {
        self.settings = settings
        self.tenants = tenants
        self.workers = workers
        self.readiness = readiness
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
            configuration: .init(address: .hostname(settings.address.host, port: settings.address.port)),
            onServerRunning: { channel in continuation.yield(channel.localAddress?.port ?? 0) },
            logger: quiet
        )
        let group = ServiceGroup(configuration: .init(services: [application], logger: quiet))
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
            self.readiness.value
                ? Response(status: .ok, body: .init(byteBuffer: ByteBuffer(string: "ready\n")))
                : Response(status: .serviceUnavailable, body: .init(byteBuffer: ByteBuffer(string: "not ready\n")))
        }
        router.add(middleware: AdminAccess(settings))
        router.get("/metrics") { _, _ -> Response in
            Response(
                status: .ok,
                headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
                body: .init(byteBuffer: ByteBuffer(string: try await self.metrics()))
            )
        }
        return router
    }

    private func metrics() async throws -> String {
        var sum = Counters(tenantCount: tenants.count)
        var backends: [BackendCount] = []
        for worker in workers {
            let (counters, counts) = try await worker.ask { ($0.currentCounters(), $0.backendCounts()) }
            sum.add(counters)
            backends = backends.isEmpty ? counts : zip(backends, counts).map { $0 + $1 }
        }
        return MetricsText(tenants: tenants, counters: sum, backends: backends, lostLogBytes: accessLog?.lost ?? 0).text
    }
}

/// Lets in who has the admin token. Without one the listener is on loopback; then requests that a page in some browser
/// could have made are refused: from another site, or for a Host that is not this machine (DNS rebinding).
private struct AdminAccess: RouterMiddleware {
    typealias Context = BasicRequestContext

    private let settings: AdminSettings

    init(_ settings: AdminSettings) {
        self.settings = settings
    }

    func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        if let token = settings.token {
            guard let sent = bearer(request), Secret(sent) == token else {
                throw HTTPError(.unauthorized, headers: [.wwwAuthenticate: "Bearer realm=\"admin\""])
            }
        } else {
            guard isFromHere(request) else { throw HTTPError(.forbidden) }
        }
        return try await next(request, context)
    }

    private func bearer(_ request: Request) -> String? {
        guard let value = request.headers[.authorization], value.lowercased().hasPrefix("bearer ") else { return nil }
        return String(value.dropFirst(7))
    }

    private func isFromHere(_ request: Request) -> Bool {
        if let site = request.headers[.secFetchSite], site != "same-origin", site != "none" { return false }
        guard let authority = request.head.authority else { return false }
        if let origin = request.headers[.origin], origin != "http://\(authority)" { return false }
        let host =
            authority.hasPrefix("[") ? authority.prefix { $0 != "]" }.dropFirst() : authority.prefix { $0 != ":" }
        return HostPort(host: String(host), port: 0).isLoopback
    }
}

extension HTTPField.Name {
    fileprivate static var secFetchSite: Self { Self("Sec-Fetch-Site") ?? .origin }
}
