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
    /// The IDs of clients whose access tokens have to be bound to a key (RFC 9449).
    public var clientsWithKeys: Set<String> = []
    /// The IDs of clients whose access tokens have to be bound to a certificate (RFC 8705).
    public var clientsWithCertificates: Set<String> = []

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
        clientsWithKeys = Set(issuer.clients.filter(\.needsProof).map(\.id))
        clientsWithCertificates = Set(issuer.clients.filter(\.bindsToCertificate).map(\.id))
    }
}

extension IssuerRules {
    /// Whether a client gets access tokens that are bound to this and nothing more; nil: a client that is none.
    func allows(_ confirmation: Confirmation?, for clientID: String?) -> Bool {
        guard let clientID else { return true }
        if clientsWithKeys.contains(clientID), confirmation?.keyThumbprint == nil { return false }
        return !clientsWithCertificates.contains(clientID) || confirmation?.certificateThumbprint != nil
    }
}

extension Duration {
    /// In seconds, as they are added to Unix time.
    var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
