public import IdentityProvider
public import Logging
public import Store
public import Tenants

/// What a tenant's endpoints for logout tokens and security events use of the rest of the gateway.
public struct SignalContext: Sendable {
    public let tenant: Tenant
    public let store: any Store
    public let tokens: any SenderTokens
    public let revocations: any RevocationChecks
    /// Nil for a tenant at which nobody signs in.
    public let accounts: (any AccountFinding)?
    /// Of the tenant's own issuer; nil if it has none.
    public let sessions: SessionService?
    /// Of every tenant with an issuer in this one's realm, this one included.
    public let realmSessions: [SessionService]
    public let counts: SignInCounts
    public let limits: AttemptLimits
    public let logger: Logger

    public init(
        tenant: Tenant,
        store: any Store,
        tokens: any SenderTokens,
        revocations: any RevocationChecks,
        accounts: (any AccountFinding)?,
        sessions: SessionService?,
        realmSessions: [SessionService],
        counts: SignInCounts,
        limits: AttemptLimits,
        logger: Logger
    ) {
        self.tenant = tenant
        self.store = store
        self.tokens = tokens
        self.revocations = revocations
        self.accounts = accounts
        self.sessions = sessions
        self.realmSessions = realmSessions
        self.counts = counts
        self.limits = limits
        self.logger = logger
    }
}
