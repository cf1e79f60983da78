/// Where opaque tokens are asked about (RFC 7662).
public struct Introspection: Sendable, Equatable {
    /// https, or http on loopback.
    public var url: String
    /// Of the gateway at that server, by HTTP Basic (RFC 6749 section 2.3.1).
    public var clientID: String
    public var clientSecret: Secret
    /// How long an answer is believed at most.
    public var cache: Duration
    /// What the answers' `iss` must be; nil: not checked.
    public var issuer: String?
    /// One of which the answers' `aud` must name; empty: not checked.
    public var audiences: [String]
    /// The line in tenants.yaml.
    public var line: Int

    public init(
        url: String,
        clientID: String,
        clientSecret: Secret,
        cache: Duration = .seconds(30),
        issuer: String? = nil,
        audiences: [String] = [],
        line: Int = 0
    ) {
        self.url = url
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.cache = cache
        self.issuer = issuer
        self.audiences = audiences
        self.line = line
    }

    /// The callers' issuer. Never what an answer alone says: its server speaks for no other.
    public var name: String { issuer ?? url }
}
