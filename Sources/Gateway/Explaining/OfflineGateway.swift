public import Authorization
import Epoll
import Logging
import NIOCore
import Proxy
import SharedState
public import Tenants
import Time

/// A gateway's decisions without listener, store and backends. One event loop decides with the code of a running
/// gateway.
public final class OfflineGateway: Sendable {
    private let tenants: [Tenant]
    private let group: EpollLoopGroup
    private let worker: WorkerHandle
    private let keys: OfflineKeys

    /// Ends with ``close()``.
    public convenience init(_ configuration: TenantsConfiguration) async throws {
        try await self.init(configuration, keys: OfflineKeys())
    }

    init(_ configuration: TenantsConfiguration, keys: OfflineKeys) async throws {
        tenants = configuration.tenants
        self.keys = keys
        group = try EpollLoopGroup(count: 1)
        let eventLoop = group.loops[0]
        let parts = Worker.Parts(
            snapshot: ConfigurationSnapshot(configuration, at: Clock.unix()),
            directory: TenantDirectory(configuration.tenants),
            gauge: ConnectionGauge(),
            accessLog: nil,
            loops: 1,
            slowVerifiers: [],
            controlPlane: .offline(keys),
            backendTLS: configuration.tenants.map { $0.backends.map { _ in nil } },
            logger: Logger(label: "gatehouse.offline") { _ in SwiftLogNoOpLogHandler() }
        )
        worker = try await eventLoop.submit {
            let worker = Worker(parts, eventLoop: eventLoop)
            // For its clocks.
            worker.start()
            // Nothing counts as revoked, and that does not become stale: a report says that revocations were not
            // checked.
            worker.use(RevocationUpdate(sets: [:], contact: .distantFuture))
            return WorkerHandle(eventLoop: eventLoop, worker: NIOLoopBound(worker, eventLoop: eventLoop))
        }.get()
        await keys.use(worker)
    }

    /// Explains the decision on a request.
    ///
    /// - Returns: Nil if there is no tenant of this name.
    public func explain(_ request: ExplainedRequest, tenant name: String) async throws -> DecisionReport? {
        guard let tenant = tenants.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) else { return nil }
        var report = try await worker.explain(request, of: tenant, isOffline: true)
        let problems = await keys.problems.map { DecisionReport.Step(step: Explanation.Step.verify.rawValue, text: $0) }
        report.steps.insert(contentsOf: problems, at: report.steps.count - 1)
        return report
    }

    public func close() async {
        try? await worker.submit { $0.stop() }
        try? await group.shutdownGracefully()
    }
}

extension ControlPlane {
    /// For a loop without a gateway: keys are fetched, and nothing else is done.
    fileprivate static func offline(_ keys: OfflineKeys) -> ControlPlane {
        ControlPlane(
            keys: { source, _ in await keys.fetch(source) },
            endSession: { _ in false },
            introspect: { _ in
                await keys.noteOpaqueToken()
                return .unavailable(retryAfterSeconds: 1, isForAll: true)
            },
            refresh: { _ in .unavailable(.late) },
            capture: { _ in false },
            answer: { _, _ in .refused(.badRequest("nothing is answered here")) },
            register: { _, _ in }
        )
    }
}
