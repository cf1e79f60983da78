import Logging
import NIOCore
package import Tenants
import Time

/// Probes one server for the whole process from one event loop, and reports every change.
package final class HealthChecker {
    private enum State {
        case probing
        /// Until the next probe.
        case pausing(Scheduled<Void>)
        case stopped
    }

    private let check: HealthCheck
    private let pool: ServerPool
    private let announce: (Bool) -> Void
    private unowned let loop: LoopContext
    private var tally: ProbeHistory
    private var state = State.probing

    /// - Parameter announce: Called on every change between up and down.
    package init(
        _ check: HealthCheck,
        of server: BackendServer,
        _ backend: Backend,
        tls: BackendTLSContext?,
        loop: LoopContext,
        announce: @escaping (Bool) -> Void
    ) {
        self.check = check
        self.loop = loop
        self.announce = announce
        var settings = ServerPool.Settings(backend, loops: 1)
        settings.responseTimeout = min(settings.responseTimeout, check.every.nanosecondsClamped)
        pool = ServerPool(server, settings, tls: tls, upgrades: .nowhere, loop: loop)
        tally = ProbeHistory(healthyAfter: check.healthyAfter, unhealthyAfter: check.unhealthyAfter)
    }

    package func start() { probe() }

    package func stop() {
        if case .pausing(let next) = state { next.cancel() }
        state = .stopped
        pool.close()
    }

    /// The next probe begins one interval after the last one began, or once that is over.
    private func probe() {
        state = .probing
        let began = NIODeadline.now()
        let interval = check.every.nanosecondsClamped
        let probe = GatewayRequest(loop: loop, wants: .status) { result in
            // The next probe must open a new connection.
            self.pool.forgetConnections()
            guard case .probing = self.state else { return }
            let isGood = if case .success(let response) = result { 200..<300 ~= response.status } else { false }
            if let isUp = self.tally.observed(isGood: isGood) { self.changed(isUp) }
            let next = self.loop.eventLoop.assumeIsolated().scheduleTask(
                deadline: began + .nanoseconds(Int64(interval))
            ) { self.probe() }
            self.state = .pausing(next)
        }
        let agent = (name: "User-Agent", value: Array("gatehouse".utf8))
        let host = Array("\(pool.server.address)".utf8)
        let head = ForwardedHead(gatewayOwn: "GET", check.path, host: host, fields: [agent])
        probe.begin(head, at: nil, only: pool, timeout: pool.responseTimeout)
    }

    private func changed(_ isUp: Bool) {
        let metadata: Logger.Metadata = ["server": "\(pool.label)"]
        if isUp {
            loop.loggers.backends.notice("server is healthy again", metadata: metadata)
        } else {
            loop.loggers.backends.warning("server is not healthy", metadata: metadata)
        }
        announce(isUp)
    }
}
