public import Tenants
public import Verification

/// The token rules of a tenant's own issuer.
public struct IssuerRules: Sendable, Equatable {
    /// The default maximum lifetime of a session, however often it is used.
    public static let defaultLongestSession: Duration = .seconds(365 * 86_400)

    /// Its name in tenants.yaml.
    public var tenant: String
    /// The `iss` of its tokens.
    public var url: String
    /// The `aud` of its access tokens.
    public var audience: String
    public var algorithm: SignatureAlgorithm
    /// The lifetime of an access token.
    public var access: Duration
    /// The lifetime of an ID token.
    public var idLifetime: Duration
    /// The lifetime of a session after its last use.
    public var refresh: Duration
    /// The lifetime of a session after the sign-in, whatever its use; at least ``refresh``.
    public var longestSession: Duration
    /// The lifetime of a browser's session at the issuer.
    public var singleSignOn: Duration = .zero
    /// What becomes of used refresh tokens.
    public var rotation = RefreshRotation.enforce
    public var refreshFormat = RefreshFormat.opaque
    /// The IDs of clients whose access tokens must be bound to a key (RFC 9449).
    public var clientsWithKeys: Set<String> = []
    /// The IDs of clients whose access tokens must be bound to a certificate (RFC 8705).
    public var clientsWithCertificates: Set<String> = []
    /// The IDs of all clients.
    public var clients: Set<String> = []
    /// The clients that are told when a session of theirs ends, by ID.
    public var clientsToldOfLogouts: [String: BackChannelLogout] = [:]

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
        singleSignOn = issuer.singleSignOn.lifetime ?? .zero
        rotation = issuer.refreshRotation
        refreshFormat = issuer.refreshFormat
        clientsWithKeys = Set(issuer.clients.filter(\.needsProof).map(\.id))
        clientsWithCertificates = Set(issuer.clients.filter(\.bindsToCertificate).map(\.id))
        clients = Set(issuer.clients.map(\.id))
        for client in issuer.clients {
            if let logout = client.backChannelLogout { clientsToldOfLogouts[client.id] = logout }
        }
    }
}

extension IssuerRules {
    /// Whether a client is told when a session of its ends, as far as is known here: another instance may know a client
    /// already that a reload has added.
    package func mayBeToldOfLogouts(_ clientID: String) -> Bool {
        clientsToldOfLogouts[clientID] != nil || !clients.contains(clientID)
    }

    /// Whether a client may get access tokens with exactly this binding; `clientID` is nil for the tenant's own apps.
    package func allows(_ confirmation: Confirmation?, for clientID: String?) -> Bool {
        guard let clientID else { return true }
        if clientsWithKeys.contains(clientID), confirmation?.keyThumbprint == nil { return false }
        return !clientsWithCertificates.contains(clientID) || confirmation?.certificateThumbprint != nil
    }
}
