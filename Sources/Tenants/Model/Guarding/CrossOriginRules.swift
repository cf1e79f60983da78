public import ConfigurationText

/// Which other origins' scripts may call the tenant, and read its responses (CORS, Fetch standard section 3.2).
public struct CrossOriginRules: Sendable, Equatable {
    /// The only element of ``origins`` if every origin is allowed.
    public static let anyOrigin = "*"

    /// As browsers send them (RFC 6454 section 6.2).
    public var origins: [String]
    /// Whether cookies may be sent along.
    public var allowsCredentials = Schema.cors.credentials.default
    public var maxAge = Schema.cors.maxAge.default
    public var exposedFields = Schema.cors.expose.default
    /// The line in tenants.yaml.
    public var line: SourceLine = 0
}
