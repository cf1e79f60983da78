public import ConfigurationText

/// Protection against pages of other sites that act with a visitor's cookies (CSRF).
public struct CrossSiteRules: Sendable, Equatable {
    /// Origins other than its own from which a browser may send unsafe requests with cookies (RFC 6454).
    public var trustedOrigins = Schema.csrf.trustedOrigins.default
    public var mode = Schema.csrf.mode.default
    /// The line in tenants.yaml; 0 where the rule holds by default.
    public var line: SourceLine = 0
}
