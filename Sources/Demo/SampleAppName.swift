/// The five sample apps, by the names of their tenants in the example configuration.
public enum SampleAppName: String, Sendable, CaseIterable {
    case customer, driver, finance, chat, clans

    /// Its host in the example configuration, which curl and browsers resolve by themselves (RFC 6761 section 6.3).
    public var host: String { "\(rawValue).localhost" }
}
