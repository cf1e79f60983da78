import Tenants

extension LiveConfiguration {
    static func serving(_ tenants: [Tenant]) -> LiveConfiguration {
        let configuration = TenantsConfiguration(gateway: GatewaySettings(listeners: []), tenants: tenants)
        return LiveConfiguration(ConfigurationEdition(configuration, at: 0))
    }
}
