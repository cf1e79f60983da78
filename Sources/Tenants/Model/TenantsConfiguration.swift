/// Everything tenants.yaml says, read once into values that are ready to use.
public struct TenantsConfiguration: Sendable {
    public var gateway: GatewaySettings
    /// In the order of the file.
    public var tenants: [Tenant]
}
