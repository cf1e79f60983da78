package import Tenants

/// A server that one of a tenant's backends wants probed.
package struct WantedProbe: Sendable {
    let server: BackendServer
    let backend: Backend
    let index: BackendIndex
    /// For a server with the scheme `https`.
    let tls: BackendTLSContexts?

    package init(_ server: BackendServer, of backend: Backend, at index: BackendIndex, _ tls: BackendTLSContexts?) {
        self.server = server
        self.backend = backend
        self.index = index
        self.tls = server.scheme == .https ? tls : nil
    }
}

/// The probes of one event loop, each for all who want the same of the same server.
package final class ServerProbes {
    /// Called with all who listen to a server.
    package typealias Announce = (_ listeners: Set<ProbeListener>, BackendServer, _ isUp: Bool) -> Void

    /// What makes two probes the same.
    private struct ProbeKey: Hashable {
        let scheme: BackendServer.Scheme
        let address: HostPort
        let check: HealthCheck
        let connectTimeout: Duration
        let timeout: Duration
        let tls: BackendTLSContexts?
    }

    private unowned let loop: LoopContext
    private var pacing: ProbePacing
    private var listeners = ProbeListeners<ProbeKey>()
    private var checkers: [ProbeKey: HealthChecker] = [:]

    /// - Parameter loops: How many event loops the process has.
    package init(loop: LoopContext, loops: Int) {
        self.loop = loop
        pacing = ProbePacing(loops: loops)
    }

    /// How many servers are probed.
    package var count: Int { checkers.count }

    /// Probes these servers for a tenant, and no others. Probes that go on keep what they know.
    ///
    /// - Parameter announce: Called on every change between up and down. And at once: for a tenant that had probes
    ///   before, with the state of each server; for a new one, where a server is known to be down.
    package func set(_ wanted: [WantedProbe], of tenant: TenantIndex, announce: @escaping Announce) {
        let isKnown = listeners.includes(tenant)
        var probes: [ProbeKey: [WantedProbe]] = [:]
        for probe in wanted {
            if let key = Self.key(probe) { probes[key, default: []].append(probe) }
        }
        let change = listeners.set(probes.mapValues { $0.map(\.index) }, of: tenant)
        for key in change.ended { checkers.removeValue(forKey: key)?.stop() }
        for key in change.begun {
            if let first = probes[key]?.first { begin(key, first, announce) }
        }
        for (key, wanting) in probes {
            guard let checker = checkers[key], isKnown || !checker.isUp else { continue }
            let backends = wanting.map { ProbeListener(tenant: tenant, backend: $0.index) }
            announce(Set(backends), wanting[0].server, checker.isUp)
        }
    }

    private static func key(_ wanted: WantedProbe) -> ProbeKey? {
        guard let check = wanted.backend.health else { return nil }
        return ProbeKey(
            scheme: wanted.server.scheme,
            address: wanted.server.address,
            check: check,
            connectTimeout: wanted.backend.timeouts.connect,
            timeout: min(wanted.backend.timeouts.response, check.every),
            tls: wanted.tls
        )
    }

    private func begin(_ key: ProbeKey, _ wanted: WantedProbe, _ announce: @escaping Announce) {
        let (server, isTLS) = (wanted.server, wanted.tls != nil)
        let checker = HealthChecker(
            key.check,
            of: server,
            wanted.backend,
            tls: wanted.tls?.any,
            loop: loop
        ) { [weak self] now in
            self?.pacing.turn(at: now, cost: isTLS ? ProbePacing.costOfTLS : 1) ?? now
        } announce: { [weak self] isUp in
            if let self { announce(listeners.of(key), server, isUp) }
        }
        checkers[key] = checker
        let interval = key.check.every.nanosecondsClamped
        let random = loop.identifiers.next()
        checker.start(after: ProbePacing.firstDelay(interval, count: checkers.count, random: random))
    }

    package func stop() {
        for checker in checkers.values { checker.stop() }
        checkers.removeAll()
        listeners = ProbeListeners()
    }
}
