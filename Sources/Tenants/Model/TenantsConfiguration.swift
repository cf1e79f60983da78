/// The content of tenants.yaml.
public struct TenantsConfiguration: Sendable {
    public var gateway: GatewaySettings
    /// In the order of the file.
    public var tenants: [Tenant]
}
