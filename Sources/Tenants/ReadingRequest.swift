/// What a configuration is read with, and what for.
public struct ReadingRequest: Sendable {
    /// The tenants of the store.
    public var stored: [TenantSource]
    /// Whether nothing of it will be put into force: then the files count as not read, so that a change of them is still
    /// noticed.
    public var isTrial: Bool

    public init(stored: [TenantSource] = [], isTrial: Bool = false) {
        self.stored = stored
        self.isTrial = isTrial
    }

    /// For ``TenantsFile``: a mistake in one of the store's tenants leaves the others.
    public var further: FurtherTenants? { stored.isEmpty ? nil : FurtherTenants(stored, faults: .leaveOut) }
}
