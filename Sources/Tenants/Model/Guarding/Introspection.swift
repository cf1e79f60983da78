/// Where opaque tokens are asked about (RFC 7662).
public struct Introspection: Sendable, Equatable {
    /// https, or http on loopback.
    public var url: String
    /// Of the gateway at that server, by HTTP Basic (RFC 6749 section 2.3.1).
    public var clientID: String
    public var clientSecret: Secret
    /// How long an answer is believed at most.
    public var cache = Schema.introspection.cache.standard
    /// What the answers' `iss` must be; nil: not checked.
    public var issuer: String?
    /// One of which the answers' `aud` must name; empty: not checked.
    public var audiences: [String] = []
    /// The line in tenants.yaml.
    public var line: Int = 0

    /// The callers' issuer. Never what an answer alone says: its server speaks for no other.
    public var name: String { issuer ?? url }
}
