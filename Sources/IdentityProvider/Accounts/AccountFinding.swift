public import Time

/// Finds and makes accounts.
public protocol AccountFinding: Sendable {
    /// The account of an identity: found, linked by e-mail if the tenant wants that, or created; with an account hook,
    /// the hook's decision. When this returns, the account is as durable as the store.
    ///
    /// - Parameters:
    ///   - givenName: The name sent by the app; used if the account has none, since Apple sends it only once.
    func signIn(
        _ identity: ProviderIdentity,
        givenName: String?,
        at now: UnixTime
    ) async throws(AccountProblem) -> Account

    /// Whether `identity` may sign in to this tenant, without creating an account: for tenants whose backend keeps the
    /// accounts.
    func check(_ identity: ProviderIdentity) async throws(AccountProblem)

    /// - Returns: Nil if there is none.
    func account(ofSubject subject: String) async throws(AccountProblem) -> Account?

    /// - Returns: Nil if the provider's subject has never signed in.
    func account(of identity: Account.Identity) async throws(AccountProblem) -> Account?

    /// Records that a provider has deleted an identity: it no longer verifies an e-mail for its account, permanently, so
    /// that the address's next owner does not get into the account. The account itself stays. Repeating it, or calling
    /// it for an identity that never signed in, changes nothing.
    func forget(_ identity: Account.Identity, at now: UnixTime) async throws(AccountProblem)
}
