public import Tenants
public import Verification

/// What a tenant's own issuer signs, and how long it is good for.
public struct IssuerRules: Sendable, Equatable {
    /// How long a session may go on by default, however often it is used.
    public static let defaultLongestSession: Duration = .seconds(365 * 86_400)

    /// Its name in tenants.yaml.
    public var tenant: String
    /// The `iss` of its tokens.
    public var url: String
    /// The `aud` of its access tokens.
    public var audience: String
    public var algorithm: SignatureAlgorithm
    /// How long an access token is good.
    public var access: Duration
    /// How long an ID token is good.
    public var idLifetime: Duration
    /// How long a session is good after its last use.
    public var refresh: Duration
    /// How long a session is good after the sign-in, whatever its use; at least ``refresh``.
    public var longestSession: Duration

    public init(
        tenant: String,
        url: String,
        audience: String,
        algorithm: SignatureAlgorithm,
        access: Duration,
        idLifetime: Duration = .seconds(3600),
        refresh: Duration,
        longestSession: Duration = Self.defaultLongestSession
    ) {
        self.tenant = tenant
        self.url = url
        self.audience = audience
        self.algorithm = algorithm
        self.access = access
        self.idLifetime = idLifetime
        self.refresh = refresh
        self.longestSession = max(longestSession, refresh)
    }
}

extension IssuerRules {
    /// - Parameter tenant: The name of the tenant whose issuer it is.
    public init(_ issuer: BuiltInIssuer, tenant: String) {
        self.init(
            tenant: tenant,
            url: issuer.url,
            audience: issuer.audience,
            algorithm: issuer.algorithm,
            access: issuer.access,
            idLifetime: issuer.id,
            refresh: issuer.refresh
        )
    }
}

extension Duration {
    /// In seconds, as they are added to Unix time.
    var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
