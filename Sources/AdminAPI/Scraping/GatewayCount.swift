public import Counting
public import Tenants

/// What the event loops have counted, summed, and what the instance shares with others: the numbers of one moment, for
/// metrics and for the report that the dashboard shows.
public struct GatewayCount: Sendable {
    /// The configuration whose tenants are counted; it has every tenant that some loop has counted something of.
    public var edition: ConfigurationSnapshot
    public var counters: Counters
    /// By tenant and server.
    public var backends: [BackendCount]
    public var shared: SharedCount

    public init(edition: ConfigurationSnapshot, counters: Counters, backends: [BackendCount], shared: SharedCount) {
        self.edition = edition
        self.counters = counters
        self.backends = backends
        self.shared = shared
    }
}
