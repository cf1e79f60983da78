/// An array with an element for each tenant.
extension Array {
    @inlinable
    public subscript(tenant: TenantIndex) -> Element {
        get { self[tenant.value] }
        // Changes the element in place: a setter would copy it.
        _modify { yield &self[tenant.value] }
    }

    /// The index of each element.
    @inlinable
    public var tenantIndices: [TenantIndex] { indices.map(TenantIndex.init) }
}
