/// What one issuer's tokens must satisfy.
public struct IssuerPolicy: Sendable, Equatable {
    /// The `iss` that its tokens carry, byte for byte.
    public var issuer: String
    /// The audiences of which a token must name one; empty: `aud` is not checked.
    public var audiences: [String]
    /// The algorithms that the issuer may sign with; a key must allow the algorithm too.
    public var algorithms: [SignatureAlgorithm]
    /// The issuer's keys; nil while they are not known, which is another thing than that there are none.
    public var keys: KeySet?
    /// Whether a token must say by its `typ` that it is an access token (RFC 9068 section 4): `at+jwt`, in any case and
    /// with or without `application/`. For issuers that sign ID tokens with the same keys.
    public var requiresAccessTokenType: Bool

    public init(
        issuer: String,
        audiences: [String] = [],
        algorithms: [SignatureAlgorithm],
        keys: KeySet?,
        requiresAccessTokenType: Bool = false
    ) {
        self.issuer = issuer
        self.audiences = audiences
        self.algorithms = algorithms
        self.keys = keys
        self.requiresAccessTokenType = requiresAccessTokenType
    }
}

/// Everything that decides whether a token is good; a value to share between event loops.
public struct VerificationPolicy: Sendable, Equatable {
    /// The trusted issuers. One may be listed twice with different algorithms; the first entry that allows a token's
    /// algorithm is the one that counts.
    public var issuers: [IssuerPolicy]
    /// How many seconds the clocks of issuer and gateway may differ.
    public var leeway: Double
    /// Claims that must be present and not null.
    public var requiredClaims: [String]

    public init(issuers: [IssuerPolicy], leeway: Double = 60, requiredClaims: [String] = []) {
        self.issuers = issuers
        self.leeway = leeway
        self.requiredClaims = requiredClaims
    }
}
