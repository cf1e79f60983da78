public import Time

/// A certificate that the gateway presents, as it was last loaded.
public struct CertificateStatus: Sendable, Equatable {
    public enum Use: String, Sendable, CaseIterable {
        /// To clients of tenants.
        case server
        /// On the admin listener.
        case admin
        /// To servers of backends.
        case backend
    }

    public var use: Use
    /// PEM.
    public var file: String
    /// The names of the tenants that have it; empty on the admin listener.
    public var tenants: [String]
    /// When the last of its chain becomes valid.
    public var notBefore: UnixTime
    /// When the first of its chain expires.
    public var notAfter: UnixTime

    public init(use: Use, file: String, tenants: [String], notBefore: UnixTime, notAfter: UnixTime) {
        self.use = use
        self.file = file
        self.tenants = tenants
        self.notBefore = notBefore
        self.notAfter = notAfter
    }
}
