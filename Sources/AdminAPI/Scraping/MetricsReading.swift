import Counting
import Tenants

/// The values of all metrics at one moment.
struct MetricsReading: Sendable {
    /// Names, by tenant index.
    var tenants: [String]
    var configuration: ConfigurationCount
    /// Summed over all event loops.
    var counters: Counters
    var backends: [BackendCount]
    var shared: SharedCount
    /// The oldest key sets have a series.
    var mostKeySets = Int.max
    /// Lost from the access log.
    var lostLogBytes = 0
    /// Lost from the gateway's log.
    var lostLogLines = 0
    var process: ProcessStatistics?

    /// The tenants' names, and an empty label for requests without a tenant; no tenant has an empty name.
    var labels: [String] { tenants + [""] }
}

extension MetricsReading {
    init(_ count: GatewayCount, _ configuration: ConfigurationCount) {
        self.init(
            tenants: count.snapshot.names,
            configuration: configuration,
            counters: count.counters,
            backends: count.backends,
            shared: count.shared
        )
    }
}
