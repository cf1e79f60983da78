import Synchronization
public import Time

/// The configuration that is served, for all who are not on the way of a request: the event loops keep what they need
/// of it themselves.
public final class LiveConfiguration: Sendable {
    private struct State {
        var edition: ConfigurationSnapshot
        var lastReload: (report: ReloadReport, at: UnixTime)?
        var reloads = ReloadCounts()
    }

    private let state: Mutex<State>

    public init(_ edition: ConfigurationSnapshot) {
        state = Mutex(State(edition: edition))
    }

    public var current: ConfigurationSnapshot { state.withLock { $0.edition } }

    /// What came of the last attempt to read the file anew, and when; nil: there was none.
    public var lastReload: (report: ReloadReport, at: UnixTime)? { state.withLock { $0.lastReload } }

    public var reloads: ReloadCounts { state.withLock { $0.reloads } }

    public func serve(_ edition: ConfigurationSnapshot) { state.withLock { $0.edition = edition } }

    public func note(_ report: ReloadReport, at now: UnixTime) {
        state.withLock { state in
            state.lastReload = (report, now)
            if report.isInForce { state.reloads.successes += 1 } else { state.reloads.failures += 1 }
        }
    }
}

/// How often the file was read anew.
public struct ReloadCounts: Sendable, Equatable {
    /// What was read is in force.
    public var successes: UInt64 = 0
    /// What was in force before stayed so.
    public var failures: UInt64 = 0

    public init(successes: UInt64 = 0, failures: UInt64 = 0) {
        self.successes = successes
        self.failures = failures
    }
}

/// For metrics.
public struct ConfigurationCount: Sendable {
    /// Of the configuration in force.
    public var generation: UInt64
    public var reloads: ReloadCounts

    public init(generation: UInt64, reloads: ReloadCounts = ReloadCounts()) {
        self.generation = generation
        self.reloads = reloads
    }

    public init(_ live: LiveConfiguration) {
        self.init(generation: live.current.generation, reloads: live.reloads)
    }
}

/// One state of tenants.yaml, as it is served from one reload to the next.
///
/// A tenant keeps its **place** for the life of the process, whatever becomes of the order in the file: counters,
/// refreshes under way and all else that is kept by tenant goes by it. The place of one that was removed stays taken.
public struct ConfigurationSnapshot: Sendable {
    /// Counts up from 1.
    public let generation: UInt64
    /// Its tenants in the order of the file.
    public let configuration: TenantsConfiguration
    public let since: UnixTime
    /// By place. One that was removed is as it was last, without a host, and issues no tokens: no request finds it any
    /// more, and those under way end as they would have.
    public let tenants: [Tenant]
    /// Of each tenant in the file, in its order.
    public let places: [TenantIndex]

    /// The one that a process starts with.
    public init(_ configuration: TenantsConfiguration, at now: UnixTime) {
        generation = 1
        self.configuration = configuration
        since = now
        tenants = configuration.tenants
        places = configuration.tenants.tenantIndices
    }

    private init(_ configuration: TenantsConfiguration, after last: ConfigurationSnapshot, at now: UnixTime) {
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
        var byName: [[UInt8]: TenantIndex] = [:]
        for place in tenants.tenantIndices { byName[Array(tenants[place].name.utf8)] = place }
        places = configuration.tenants.map { tenant in
            guard let place = byName[Array(tenant.name.utf8)] else {
                tenants.append(tenant)
                return TenantIndex(tenants.count - 1)
            }
            tenants[place] = tenant
            return place
        }
        self.tenants = tenants
    }

    /// The one that follows.
    public func next(_ configuration: TenantsConfiguration, at now: UnixTime) -> ConfigurationSnapshot {
        ConfigurationSnapshot(configuration, after: self, at: now)
    }

    /// By place, those that were removed too.
    public var names: [String] { tenants.map(\.name) }

    /// The place of the tenant with this name, byte for byte; nil for one that is not in the file.
    public func place(of name: String) -> TenantIndex? {
        places.first { tenants[$0].name.utf8.elementsEqual(name.utf8) }
    }
}
