import Tenants
public import Time

/// The addresses of `emails_file`, as they are now.
public protocol EmailListing: Sendable {
    func contains(_ email: String) async -> Bool
}

/// Accounts of those alone whom a tenant's `who` lets in, whichever way they sign in.
public struct AdmittedAccounts: AccountFinding {
    private let accounts: any AccountFinding
    private let admission: Admission

    public init(_ accounts: any AccountFinding, _ admission: Admission) {
        self.accounts = accounts
        self.admission = admission
    }

    public func signIn(
        _ identity: ProviderIdentity,
        givenName: String?,
        at now: UnixTime
    ) async throws(AccountProblem) -> Account {
        guard await admission.admits(identity) else { throw .notAllowed }
        return try await accounts.signIn(identity, givenName: givenName, at: now)
    }

    public func check(_ identity: ProviderIdentity) async throws(AccountProblem) {
        guard await admission.admits(identity) else { throw .notAllowed }
        try await accounts.check(identity)
    }

    public func account(ofSubject subject: String) async throws(AccountProblem) -> Account? {
        try await accounts.account(ofSubject: subject)
    }

    public func account(of identity: Account.Identity) async throws(AccountProblem) -> Account? {
        try await accounts.account(of: identity)
    }

    public func forget(_ identity: Account.Identity, at now: UnixTime) async throws(AccountProblem) {
        try await accounts.forget(identity, at: now)
    }
}
