import Counting
import Tenants

/// Everything that metrics are read from, at one moment.
struct MetricsReading: Sendable {
    /// Names, by place.
    var tenants: [String]
    /// What became of it.
    var configuration: ConfigurationCount
    /// Summed over all event loops.
    var counters: Counters
    var backends: [BackendCount]
    /// What the instance knows of what it shares with others.
    var shared: SharedCount
    /// Of the access log.
    var lostLogBytes = 0
    /// Of the other log.
    var lostLogLines = 0
    /// What the system says of the process.
    var process: ProcessStatistics?

    /// The tenants, and one above them for requests that are nobody's: an empty label is none (Prometheus data model),
    /// and no tenant has an empty name.
    var labels: [String] { tenants + [""] }
}

extension MetricsReading {
    init(_ count: GatewayCount, _ configuration: ConfigurationCount) {
        self.init(
            tenants: count.edition.names,
            configuration: configuration,
            counters: count.counters,
            backends: count.backends,
            shared: count.shared
        )
    }
}
