/// The requirements for an introspection response.
public struct IntrospectionPolicy: Sendable, Equatable {
    /// The principals' issuer. Never taken from a response alone: its server cannot speak for other issuers.
    public var issuer: String
    /// Whether a response's `iss` must be ``issuer``.
    public var requiresIssuer: Bool
    /// Of which `aud` must name one; empty: not checked.
    public var audiences: [String]
    /// Claims that must be present and not null.
    public var requiredClaims: [String]
    /// How many seconds the clocks of server and gateway may differ.
    public var leeway: Double

    public init(
        issuer: String,
        requiresIssuer: Bool = false,
        audiences: [String] = [],
        requiredClaims: [String] = [],
        leeway: Double = 60
    ) {
        self.issuer = issuer
        self.requiresIssuer = requiresIssuer
        self.audiences = audiences
        self.requiredClaims = requiredClaims
        self.leeway = leeway
    }
}
