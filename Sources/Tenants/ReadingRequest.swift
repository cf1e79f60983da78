/// What a configuration is read with, and what for.
public struct ReadingRequest: Sendable {
    /// The tenants of the store.
    public var stored: [TenantSource]
    /// Whether nothing of it will be put into force: then the files count as not read, so that a change of them is still
    /// noticed.
    public var isTrial: Bool
    /// The tenants of the store as they were read last; nil: all are read.
    public var known: KnownTenants?

    public init(stored: [TenantSource] = [], isTrial: Bool = false, known: KnownTenants? = nil) {
        self.stored = stored
        self.isTrial = isTrial
        self.known = known
    }

    /// For ``TenantsFile``: a mistake in one of the store's tenants leaves the others.
    public var further: FurtherTenants? {
        guard !stored.isEmpty else { return nil }
        var further = FurtherTenants(stored, faults: .leaveOut)
        further.known = known
        further.isKept = !isTrial
        return further
    }
}
