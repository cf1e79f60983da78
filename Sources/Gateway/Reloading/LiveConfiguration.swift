import Synchronization
import Tenants

/// The configuration that is served, for all who are not on the way of a request: the loops have what they need of it
/// in their ``Serving``.
final class LiveConfiguration: Sendable {
    private struct State {
        var edition: ConfigurationEdition
        var lastReload: (report: ReloadReport, at: Double)?
        var reloads = ReloadCounts()
    }

    private let state: Mutex<State>

    init(_ edition: ConfigurationEdition) {
        state = Mutex(State(edition: edition))
    }

    var current: ConfigurationEdition { state.withLock { $0.edition } }

    /// What came of the last attempt to read the file anew, and when, in Unix seconds; nil: there was none.
    var lastReload: (report: ReloadReport, at: Double)? { state.withLock { $0.lastReload } }

    var reloads: ReloadCounts { state.withLock { $0.reloads } }

    func serve(_ edition: ConfigurationEdition) { state.withLock { $0.edition = edition } }

    /// - Parameter now: Unix seconds.
    func note(_ report: ReloadReport, at now: Double) {
        state.withLock { state in
            state.lastReload = (report, now)
            if report.isInForce { state.reloads.successes += 1 } else { state.reloads.failures += 1 }
        }
    }
}

/// How often the file was read anew.
struct ReloadCounts: Sendable, Equatable {
    /// What was read is in force.
    var successes: UInt64 = 0
    /// What was in force before stayed so.
    var failures: UInt64 = 0
}

/// For metrics.
struct ConfigurationCount: Sendable {
    var generation: UInt64
    var reloads = ReloadCounts()
}

extension ConfigurationCount {
    init(_ live: LiveConfiguration) {
        self.init(generation: live.current.generation, reloads: live.reloads)
    }
}

/// One state of tenants.yaml, as it is served from one reload to the next.
///
/// A tenant keeps its **place** for the life of the process, whatever becomes of the order in the file: counters,
/// refreshes under way and all else that is kept by tenant goes by it. The place of one that was removed stays taken.
struct ConfigurationEdition: Sendable {
    /// Counts up from 1.
    let generation: UInt64
    /// Its tenants in the order of the file.
    let configuration: TenantsConfiguration
    /// Unix seconds.
    let since: Double
    /// By place. One that was removed is as it was last, without a host, and issues no tokens: no request finds it any
    /// more, and those under way end as they would have.
    let tenants: [Tenant]
    /// Of each tenant in the file, in its order.
    let places: [Int]

    /// The one that a process starts with.
    ///
    /// - Parameter now: Unix seconds.
    init(_ configuration: TenantsConfiguration, at now: Double) {
        generation = 1
        self.configuration = configuration
        since = now
        tenants = configuration.tenants
        places = Array(configuration.tenants.indices)
    }

    private init(_ configuration: TenantsConfiguration, after last: ConfigurationEdition, at now: Double) {
        generation = last.generation + 1
        self.configuration = configuration
        since = now
        var tenants = last.tenants.map { tenant in
            var removed = tenant
            removed.hosts = []
            removed.issuer = nil
            removed.signIn = nil
            return removed
        }
        var byName: [[UInt8]: Int] = [:]
        for (place, tenant) in tenants.enumerated() { byName[Array(tenant.name.utf8)] = place }
        places = configuration.tenants.map { tenant in
            guard let place = byName[Array(tenant.name.utf8)] else {
                tenants.append(tenant)
                return tenants.count - 1
            }
            tenants[place] = tenant
            return place
        }
        self.tenants = tenants
    }

    /// The one that follows.
    ///
    /// - Parameter now: Unix seconds.
    func next(_ configuration: TenantsConfiguration, at now: Double) -> ConfigurationEdition {
        ConfigurationEdition(configuration, after: self, at: now)
    }

    /// By place, those that were removed too.
    var names: [String] { tenants.map(\.name) }

    /// The place of the tenant with this name, byte for byte; nil for one that is not in the file.
    func place(of name: String) -> Int? {
        places.first { tenants[$0].name.utf8.elementsEqual(name.utf8) }
    }
}
