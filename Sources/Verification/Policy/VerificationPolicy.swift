/// What one issuer's tokens must satisfy.
public struct IssuerPolicy: Sendable, Equatable {
    /// The `iss` of its tokens, byte for byte.
    public var issuer: String
    /// A token must name one of these audiences; empty if `aud` is not checked.
    public var audiences: [String]
    /// The algorithms that the issuer may sign with; a key must allow the algorithm too.
    public var algorithms: [SignatureAlgorithm]
    /// The issuer's keys; nil while they are unknown, as opposed to an empty set.
    public var keys: KeySet?
    /// Whether a token's `typ` must be that of an access token (RFC 9068 section 4): `at+jwt`, in any case and with or
    /// without `application/`. For issuers that sign ID tokens with the same keys.
    public var requiresAccessTokenType: Bool
    /// Where its tokens have the subject, roles and the like; nil: in the claims of that name.
    public var mapping: ClaimMapping?
    /// All must hold.
    public var conditions: [ClaimCondition]

    public init(
        issuer: String,
        audiences: [String] = [],
        algorithms: [SignatureAlgorithm],
        keys: KeySet?,
        requiresAccessTokenType: Bool = false,
        mapping: ClaimMapping? = nil,
        conditions: [ClaimCondition] = []
    ) {
        self.issuer = issuer
        self.audiences = audiences
        self.algorithms = algorithms
        self.keys = keys
        self.requiresAccessTokenType = requiresAccessTokenType
        self.mapping = mapping
        self.conditions = conditions
    }
}

/// The complete policy for verifying tokens; a value shared between event loops.
public struct VerificationPolicy: Sendable, Equatable {
    /// The trusted issuers. One may be listed twice with different algorithms; the first entry that allows a token's
    /// algorithm counts.
    public var issuers: [IssuerPolicy]
    /// How many seconds the clocks of issuer and gateway may differ.
    public var leeway: Double
    /// Claims that must be present and not null.
    public var requiredClaims: [String]
    /// What the tokens are for: a token that says of itself that it is for something else is refused.
    public var purpose: TokenPurpose

    public init(
        issuers: [IssuerPolicy],
        leeway: Double = 60,
        requiredClaims: [String] = [],
        purpose: TokenPurpose = .access
    ) {
        self.issuers = issuers
        self.leeway = leeway
        self.requiredClaims = requiredClaims
        self.purpose = purpose
    }
}
