public import Tenants

/// An opaque token to introspect (RFC 7662).
public struct IntrospectionRequest: Sendable {
    public let tenant: TenantIndex
    public let token: [UInt8]
    /// Whether the present outcome is still usable, but not for long.
    public let isAhead: Bool

    public init(tenant: TenantIndex, token: [UInt8], isAhead: Bool = false) {
        self.tenant = tenant
        self.token = token
        self.isAhead = isAhead
    }
}
