import Logging
import NIOCore
import Tenants
import Time

/// Probes one server for the whole process from one event loop, and reports every change.
final class HealthChecker {
    private enum State {
        case probing
        /// Until the next probe is due, or may begin.
        case pausing(Scheduled<Void>)
        case stopped
    }

    private let check: HealthCheck
    private let pool: ServerPool
    private let turn: (_ now: UInt64) -> UInt64
    private let announce: (Bool) -> Void
    private unowned let loop: LoopContext
    private var tally: ProbeHistory
    private var state = State.probing

    /// - Parameters:
    ///   - turn: Asked for each probe that is due: when it may begin, as nanoseconds of NIO's clock.
    ///   - announce: Called on every change between up and down.
    init(
        _ check: HealthCheck,
        of server: BackendServer,
        _ backend: Backend,
        tls: BackendTLSContext?,
        loop: LoopContext,
        turn: @escaping (_ now: UInt64) -> UInt64,
        announce: @escaping (Bool) -> Void
    ) {
        self.check = check
        self.loop = loop
        self.turn = turn
        self.announce = announce
        var settings = ServerPool.Settings(backend, loops: 1)
        settings.responseTimeout = min(settings.responseTimeout, check.every.nanosecondsClamped)
        pool = ServerPool(server, settings, tls: tls, upgrades: .nowhere, loop: loop)
        tally = ProbeHistory(healthyAfter: check.healthyAfter, unhealthyAfter: check.unhealthyAfter)
    }

    /// Whether the server counts as up.
    var isUp: Bool { tally.isUp }

    /// - Parameter delay: Until the first probe is due, in nanoseconds.
    func start(after delay: UInt64) {
        if delay > 0 { pause(until: .now() + .nanoseconds(Int64(clamping: delay))) { $0.due() } } else { due() }
    }

    func stop() {
        if case .pausing(let next) = state { next.cancel() }
        state = .stopped
        pool.close()
    }

    /// Probes when it is this server's turn.
    private func due() {
        let now = NIODeadline.now()
        let begin = NIODeadline.uptimeNanoseconds(turn(now.uptimeNanoseconds))
        if begin > now { pause(until: begin) { $0.probe() } } else { probe() }
    }

    private func pause(until deadline: NIODeadline, then next: @escaping (HealthChecker) -> Void) {
        state = .pausing(loop.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { next(self) })
    }

    /// The next probe is due one interval after the last one began, or once that is over.
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
            self.pause(until: began + .nanoseconds(Int64(clamping: interval))) { $0.due() }
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
