public import ConfigurationText

/// The introspection of opaque tokens (RFC 7662).
public struct Introspection: Sendable, Equatable {
    /// https, or http on loopback.
    public var url: String
    /// The gateway's client at that server, sent by HTTP Basic (RFC 6749 section 2.3.1).
    public var clientID: String
    public var clientSecret: Secret
    /// Maximum time that a response is cached.
    public var cache = Schema.introspection.cache.default
    /// The `iss` that responses must have; nil: not checked.
    public var issuer: String?
    /// The `aud` of responses must name one of these; empty: not checked.
    public var audiences: [String] = []
    /// The line in tenants.yaml.
    public var line: SourceLine = 0

    /// The callers' issuer. Never taken from a response alone: the server may not speak for other issuers.
    public var name: String { issuer ?? url }
}
