public import Counting
public import Tenants

/// The counts of one moment for metrics and reports: the sums of all event loops, and the state shared by instances.
public struct GatewayCount: Sendable {
    /// Has every tenant in the counters.
    public var snapshot: ConfigurationSnapshot
    public var counters: Counters
    /// By tenant and server.
    public var backends: [BackendCount]
    public var shared: SharedCount

    public init(snapshot: ConfigurationSnapshot, counters: Counters, backends: [BackendCount], shared: SharedCount) {
        self.snapshot = snapshot
        self.counters = counters
        self.backends = backends
        self.shared = shared
    }
}
