public import Logging
public import Store
public import Tenants
package import Time
public import TokenSigning
public import Verification

/// What the endpoints of one tenant use of the rest of the gateway.
///
/// All of a tenant's endpoints share one. Copies of a structure would make it a part of each of them, and of what they
/// are parts of: the code that copies and destroys them took 1.6 MB.
public final class SignInContext: Sendable {
    public let tenant: Tenant
    public let store: any Store
    public let accounts: any AccountFinding
    /// Hears what providers report of accounts; nil for a tenant without it.
    public let hook: AccountHook?
    /// For the account page and passkeys; nil for a tenant without them.
    public let keeping: (any AccountKeeping)?
    /// Nil for a tenant without its own issuer, as is `keys`.
    public let sessions: SessionService?
    public let keys: (any IssuerKeys)?
    public let providerTokens: any ProviderTokens
    public let providerMetadata: ProviderMetadata
    public let requests: any ProviderRequests
    public let revocations: any RevocationChecks
    public let logger: Logger
    /// Shared by all instances.
    public let proofNonces: ProofNonces
    /// Shared by the whole process.
    public let limits: AttemptLimits
    /// Nil for a tenant whose accounts nobody deletes.
    public let deletions: (any AccountDeleting)?
    /// Nil for a tenant that keeps no tokens of providers.
    public let grants: (any ProviderGrantKeeping)?
    /// Whether people may delete their accounts, or take logins off them, here or at another tenant of the realm.
    public let accountsMayChange: Bool
    /// The keys of the issuer's clients.
    public let clientKeys: any ClientKeySets

    /// - Parameter providerMetadata: Nil: nothing is known of the providers yet.
    public init(
        tenant: Tenant,
        store: any Store,
        accounts: any AccountFinding,
        hook: AccountHook? = nil,
        keeping: (any AccountKeeping)? = nil,
        sessions: SessionService?,
        keys: (any IssuerKeys)?,
        providerTokens: any ProviderTokens,
        providerMetadata: ProviderMetadata? = nil,
        requests: any ProviderRequests,
        revocations: any RevocationChecks,
        logger: Logger,
        proofNonces: ProofNonces,
        limits: AttemptLimits,
        deletions: (any AccountDeleting)? = nil,
        grants: (any ProviderGrantKeeping)? = nil,
        accountsMayChange: Bool = false,
        clientKeys: any ClientKeySets = NoClientKeys()
    ) {
        self.tenant = tenant
        self.store = store
        self.accounts = accounts
        self.hook = hook
        self.keeping = keeping
        self.sessions = sessions
        self.keys = keys
        self.providerTokens = providerTokens
        self.providerMetadata =
            providerMetadata ?? ProviderMetadata(tenant.signIn, requests: requests, logger: logger)
        self.requests = requests
        self.revocations = revocations
        self.logger = logger
        self.proofNonces = proofNonces
        self.limits = limits
        self.deletions = deletions
        self.grants = grants
        self.accountsMayChange = accountsMayChange
        self.clientKeys = clientKeys
    }
}

extension SignInContext {
    /// Counts a new session.
    ///
    /// - Returns: Seconds for which the account gets no more sessions; nil if it gets this one.
    package func secondsToWait(forSessionOf subject: String, at now: UnixTime) -> Int? {
        secondsToWait(subject, .accountSessions, at: now)
    }

    /// Counts a request of a client at the token endpoint.
    ///
    /// - Returns: Nil if it is within its limit.
    func secondsToWait(forTokensOf client: IssuerClient, at now: UnixTime) -> Int? {
        // Anyone can use a public client's name: counting it would let a flood lock out its users.
        client.isPublic ? nil : secondsToWait(client.id, .clientTokens, at: now)
    }

    /// The key includes the tenant, whose name has no space, so that tenants do not share counts.
    private func secondsToWait(_ name: String, _ limit: AttemptLimit, at now: UnixTime) -> Int? {
        guard case .refused(let seconds) = limits.admit(Array("\(tenant.name) \(name)".utf8), limit, at: now) else {
            return nil
        }
        return seconds
    }
}
