public import Logging
public import Store
public import Tenants

/// What the endpoints of one tenant need of the rest of the house.
public struct SignInContext: Sendable {
    public let tenant: Tenant
    public let store: any Store
    public let accounts: any AccountFinding
    /// Nil for a tenant without an issuer of its own, as is `keys`.
    public let sessions: SessionBook?
    public let keys: (any IssuerKeys)?
    public let providerTokens: any ProviderTokens
    public let requests: any ProviderRequests
    public let revocations: any RevocationChecks
    public let logger: Logger

    public init(
        tenant: Tenant,
        store: any Store,
        accounts: any AccountFinding,
        sessions: SessionBook?,
        keys: (any IssuerKeys)?,
        providerTokens: any ProviderTokens,
        requests: any ProviderRequests,
        revocations: any RevocationChecks,
        logger: Logger
    ) {
        self.tenant = tenant
        self.store = store
        self.accounts = accounts
        self.sessions = sessions
        self.keys = keys
        self.providerTokens = providerTokens
        self.requests = requests
        self.revocations = revocations
        self.logger = logger
    }
}
