@testable import Tenants

extension LiveConfiguration {
    static func serving(_ tenants: [Tenant]) -> LiveConfiguration {
        let configuration = TenantsConfiguration(gateway: GatewaySettings(listeners: []), tenants: tenants)
        return LiveConfiguration(ConfigurationSnapshot(configuration, at: 0))
    }
}
