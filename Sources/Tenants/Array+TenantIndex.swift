/// An array that has an element for each tenant, by its place.
extension Array {
    @inlinable
    public subscript(tenant: TenantIndex) -> Element {
        get { self[tenant.value] }
        // An element is changed where it is: a setter would copy what it holds.
        _modify { yield &self[tenant.value] }
    }

    /// The places of the tenants that the elements stand for.
    @inlinable
    public var tenantIndices: [TenantIndex] { indices.map(TenantIndex.init) }
}
