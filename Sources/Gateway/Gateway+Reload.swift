import ConfigurationText
import Logging
import Proxy
import Store
import Tenants
import Time
import Upstream

/// Puts a new configuration into force.
extension Gateway {
    /// - Parameters:
    ///   - began: When the reading began that has just ended.
    ///   - needsStore: See ``SharedServices/prepare(_:on:needsStore:)``.
    func reload(
        _ running: Running,
        from result: ReadResult,
        readFrom began: MonotonicTime,
        because trigger: ReloadTrigger,
        needsStore: Bool = true
    ) async -> ReloadReport {
        let read = Clock.monotonic()
        let before = live.current.configuration.document
        let report: ReloadReport
        if let configuration = result.configuration {
            let snapshot = live.current.next(configuration, at: Clock.unix())
            let plan = ReloadPlan(from: live.current, to: snapshot)
            report = await reload(running, to: snapshot, plan, needsStore: needsStore)
        } else {
            report = refused(result.errors.map(\.description))
        }
        let done = Clock.monotonic()
        let isApplied = report.result == .applied
        let changes = isApplied ? KeyChanges(from: before, to: result.configuration?.document) : KeyChanges()
        live.record(ReloadRecord(time: Clock.unix(), trigger: trigger, report: report, changes: changes))
        log(report, result.warnings, because: trigger, read: read - began, putIntoForce: done - read)
        return report
    }

    private func refused(_ mistakes: [String], mayRetry: Bool = false) -> ReloadReport {
        ReloadReport(
            result: .refused,
            generation: live.current.generation,
            mistakes: ListedLines.shortened(mistakes),
            mayRetry: mayRetry
        )
    }

    private func reload(
        _ running: Running,
        to snapshot: ConfigurationSnapshot,
        _ plan: ReloadPlan,
        needsStore: Bool
    ) async -> ReloadReport {
        guard plan.obstacles.isEmpty else { return refused(plan.obstacles) }
        var sockets: [ProxyListeners.ListeningSocket] = []
        do {
            let watch = GatewayCertificates.watch(snapshot.configuration, logger: logger) {
                self.use($0, of: snapshot.generation)
            }
            let certificates = try await GatewayCertificates.load(snapshot, before: running.parts.backendTLS)
            if plan.changes.isEmpty, isSame(certificates, running.parts), snapshot.hasSameTenants(as: live.current) {
                return ReloadReport(result: .unchanged, generation: live.current.generation)
            }
            for listener in plan.opened { sockets.append(try await open(listener, running.workers)) }
            let shared = try await running.shared.prepare(
                snapshot,
                on: running.workers[0].eventLoop,
                needsStore: needsStore
            )
            await swap(running, to: snapshot, certificates, shared, sockets, plan, watch)
        } catch {
            for socket in sockets { await socket.close() }
            return refused(["\(error)"], mayRetry: true)
        }
        return ReloadReport(result: .applied, generation: snapshot.generation, changes: plan.changes)
    }

    private func open(_ listener: Listener, _ workers: [WorkerHandle]) async throws -> ProxyListeners.ListeningSocket {
        do {
            return try await ProxyListeners.open(listener, workers: workers)
        } catch {
            throw ListenerFailure(description: "gateway.listen: cannot listen on \(listener.address): \(error)")
        }
    }

    private func isSame(_ certificates: GatewayCertificates, _ parts: Worker.Parts) -> Bool {
        // The listeners' certificates are watched separately.
        certificates.backends.elementsEqual(parts.backendTLS)
    }

    /// The point of no return: nothing from here on can fail.
    private func swap(
        _ running: Running,
        to snapshot: ConfigurationSnapshot,
        _ certificates: GatewayCertificates,
        _ shared: SharedServices.Parts,
        _ opened: [ProxyListeners.ListeningSocket],
        _ plan: ReloadPlan,
        _ watch: CertificateWatch<ServerCertificates?>?
    ) async {
        await running.shared.adopt(shared)
        var parts = running.parts
        parts.snapshot = snapshot
        parts.directory = TenantDirectory(snapshot.tenants)
        parts.controlPlane = running.shared.controlPlane(shared)
        parts.limits = shared.limits
        parts.certificates = certificates.server
        parts.backendTLS = certificates.backends
        let adopting = parts
        // Before any loop counts something for a new tenant.
        live.serve(snapshot)
        for worker in running.workers { try? await worker.submit { $0.adopt(adopting) } }
        logger.use(snapshot.configuration.gateway.log)

        var next = running
        next.parts = parts
        running.watch?.cancel()
        next.watch = watch.map { watch in Task { await watch.run() } }
        probeAnew(from: running, next)
        let closed = next.sockets.filter { plan.closed.contains($0.listener) }
        next.sockets.removeAll { plan.closed.contains($0.listener) }
        next.sockets += opened
        let settled = next
        state.withLock { $0 = .running(settled) }
        for socket in opened { try? await ProxyListeners.unlock(socket) }
        for socket in closed { await socket.close() }
        await running.shared.retireOld()
    }

    /// - Parameters:
    ///   - read: Nanoseconds that the reading took.
    ///   - putIntoForce: Nanoseconds from then until it was in force everywhere.
    private func log(
        _ report: ReloadReport,
        _ warnings: [Diagnostic],
        because trigger: ReloadTrigger,
        read: UInt64,
        putIntoForce: UInt64
    ) {
        var metadata: Logger.Metadata = ["because": "\(trigger.rawValue)", "generation": "\(report.generation)"]
        switch report.result {
        case .applied:
            for warning in ListedLines.shortened(warnings.map(\.description)) { logger.warning("\(warning)") }
            metadata["read_ms"] = "\(read / 1_000_000)"
            metadata["put_into_force_ms"] = "\(putIntoForce / 1_000_000)"
            metadata["changes"] = .array(report.changes.map { "\($0)" })
            logger.notice("another configuration is in force", metadata: metadata)
        case .unchanged: logger.info("the configuration is as it was", metadata: metadata)
        case .refused:
            metadata["mistakes"] = .array(report.mistakes.map { "\($0)" })
            logger.error("the new configuration cannot be used; the one before stays in force", metadata: metadata)
        }
    }
}

private struct ListenerFailure: Error, CustomStringConvertible {
    let description: String
}
