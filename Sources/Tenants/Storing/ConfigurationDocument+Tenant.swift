public import ConfigurationText

extension ConfigurationDocument {
    /// The keys of a tenant, over those of what it extends; nil if there is no such tenant.
    public func tenant(_ name: String) -> TenantText? {
        DocumentComposer.root(of: self)?[Schema.root.tenants]?[named: name].flatMap(TenantText.init(keys:))
    }
}
