public import Time

/// Finds and makes accounts.
public protocol AccountFinding: Sendable {
    /// The account of whoever a provider vouches for: found, linked by e-mail where the tenant wants that, or made; with
    /// an account hook, what that says. When this returns, it survives what the store survives.
    ///
    /// - Parameters:
    ///   - givenName: What the app says the name is; taken where the account has none, since Apple tells it once only.
    func signIn(
        _ identity: ProviderIdentity,
        givenName: String?,
        at now: UnixTime
    ) async throws(AccountProblem) -> Account

    /// Whether `identity` may sign in to this tenant, without an account being made: for tenants whose backend keeps the
    /// accounts.
    func check(_ identity: ProviderIdentity) async throws(AccountProblem)

    /// - Returns: Nil where there is none.
    func account(ofSubject subject: String) async throws(AccountProblem) -> Account?

    /// - Returns: Nil where the provider's subject has never signed in.
    func account(of identity: Account.Identity) async throws(AccountProblem) -> Account?

    /// Takes an identity off its account, for good, since its provider has deleted it: it does not vouch for an e-mail any
    /// more, so that whoever has the address next does not get into the account. The account itself stays. Once more
    /// changes nothing, nor does it for one that never signed in.
    func forget(_ identity: Account.Identity, at now: UnixTime) async throws(AccountProblem)
}
