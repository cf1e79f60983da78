import Synchronization
public import Time

/// The configuration in force, for everything but the request path: event loops have their own copy.
public final class LiveConfiguration: Sendable {
    private struct State {
        var snapshot: ConfigurationSnapshot
        var lastReload: (report: ReloadReport, at: UnixTime)?
        var history = ReloadHistory()
        var reloads = ReloadCounts()
    }

    private let state: Mutex<State>

    public init(_ snapshot: ConfigurationSnapshot) {
        state = Mutex(State(snapshot: snapshot))
    }

    public var current: ConfigurationSnapshot { state.withLock { $0.snapshot } }

    /// The last reload; nil if there was none.
    public var lastReload: (report: ReloadReport, at: UnixTime)? { state.withLock { $0.lastReload } }

    /// The last reloads.
    public var history: ReloadHistory { state.withLock { $0.history } }

    public var reloads: ReloadCounts { state.withLock { $0.reloads } }

    public func serve(_ snapshot: ConfigurationSnapshot) { state.withLock { $0.snapshot = snapshot } }

    public func record(_ reload: ReloadRecord) {
        let report = reload.report
        state.withLock { state in
            state.lastReload = (report, reload.time)
            state.history.add(reload)
            state.reloads.isLastInForce = report.isInForce
            if report.isInForce { state.reloads.successes += 1 } else { state.reloads.failures += 1 }
        }
    }
}

/// How many reloads there were.
public struct ReloadCounts: Sendable, Equatable {
    /// Reloads after which the new configuration is in force.
    public var successes: UInt64 = 0
    /// Reloads that were refused.
    public var failures: UInt64 = 0
    /// Whether what was read last is in force: also after the start, before any reload.
    public var isLastInForce = true

    public init(successes: UInt64 = 0, failures: UInt64 = 0, isLastInForce: Bool = true) {
        self.successes = successes
        self.failures = failures
        self.isLastInForce = isLastInForce
    }
}

/// Counts of reloads, for metrics.
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

/// The configuration between two reloads.
///
/// A tenant keeps its index for the life of the process, whatever its position in the file: counters, refreshes under way
/// and everything else that is kept by tenant use it. The index of a removed tenant is not used again.
public struct ConfigurationSnapshot: Sendable {
    /// Counts up from 1.
    public let generation: UInt64
    /// Its tenants in the order of the file.
    public let configuration: TenantsConfiguration
    public let since: UnixTime
    /// By index. A removed tenant stays here without hosts and without an issuer: no new request finds it, and requests
    /// under way end normally.
    public let tenants: [Tenant]
    /// Of each tenant in the file, in its order.
    public let indices: [TenantIndex]

    /// The snapshot that a process starts with.
    public init(_ configuration: TenantsConfiguration, at now: UnixTime) {
        generation = 1
        self.configuration = configuration
        since = now
        tenants = configuration.tenants
        indices = configuration.tenants.tenantIndices
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
        for index in tenants.tenantIndices { byName[Array(tenants[index].name.utf8)] = index }
        indices = configuration.tenants.map { tenant in
            guard let index = byName[Array(tenant.name.utf8)] else {
                tenants.append(tenant)
                return TenantIndex(tenants.count - 1)
            }
            tenants[index] = tenant
            return index
        }
        self.tenants = tenants
    }

    /// The snapshot after a reload.
    public func next(_ configuration: TenantsConfiguration, at now: UnixTime) -> ConfigurationSnapshot {
        ConfigurationSnapshot(configuration, after: self, at: now)
    }

    /// By index, including removed tenants.
    public var names: [String] { tenants.map(\.name) }

    /// The index of the tenant with this name, compared byte for byte; nil if the file has none.
    public func index(of name: String) -> TenantIndex? {
        indices.first { tenants[$0].name.utf8.elementsEqual(name.utf8) }
    }
}
