public import Tenants

/// An opaque token that its server is to be asked about (RFC 7662).
public struct IntrospectionRequest: Sendable {
    /// By its index in the configuration.
    public let tenant: TenantIndex
    public let token: [UInt8]
    /// Whether the last answer is good still, and will not be for long: then there is time.
    public let isAhead: Bool

    public init(tenant: TenantIndex, token: [UInt8], isAhead: Bool = false) {
        self.tenant = tenant
        self.token = token
        self.isAhead = isAhead
    }
}
