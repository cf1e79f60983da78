/// The five sample apps, by the names of their tenants in the example configuration.
public enum SampleAppName: String, Sendable, CaseIterable {
    case customer, driver, finance, chat, clans
}
