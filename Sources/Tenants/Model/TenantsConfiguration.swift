public import ConfigurationText

/// The content of tenants.yaml.
public struct TenantsConfiguration: Sendable {
    public var gateway: GatewaySettings
    /// In the order of the file; then those of the store, in the order of their names.
    public var tenants: [Tenant]
    /// What it was read from; nil if it was made otherwise.
    public var document: ConfigurationDocument?
}
