/// Which other origins' scripts may call the tenant, and read its answers (CORS, Fetch standard section 3.2).
public struct CrossOriginRules: Sendable, Equatable {
    /// In ``origins`` it stands alone, and for all.
    public static let anyOrigin = "*"

    /// As browsers send them (RFC 6454 section 6.2).
    public var origins: [String]
    /// Whether cookies may be sent along.
    public var allowsCredentials = Schema.cors.credentials.standard
    public var maxAge = Schema.cors.maxAge.standard
    public var exposedFields = Schema.cors.expose.standard
    /// The line in tenants.yaml.
    public var line: Int = 0
}
