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
