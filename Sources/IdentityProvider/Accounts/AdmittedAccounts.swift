public import Tenants
public import Time

/// The addresses of `emails_file`, as they are now.
public protocol EmailListing: Sendable {
    func contains(_ email: String) async -> Bool
}

/// Accounts of those alone whom a tenant's `who` lets in, whichever way they sign in.
public struct AdmittedAccounts: AccountFinding {
    private let accounts: any AccountFinding
    private let who: SignInAdmission
    private let emails: (any EmailListing)?

    /// - Parameter emails: Nil without `emails_file`.
    public init(_ accounts: any AccountFinding, who: SignInAdmission, emails: (any EmailListing)?) {
        self.accounts = accounts
        self.who = who
        self.emails = emails
    }

    public func signIn(
        _ identity: ProviderIdentity,
        givenName: String?,
        at now: UnixTime
    ) async throws(AccountProblem) -> Account {
        guard await admits(identity) else { throw .notAllowed }
        return try await accounts.signIn(identity, givenName: givenName, at: now)
    }

    public func check(_ identity: ProviderIdentity) async throws(AccountProblem) {
        guard await admits(identity) else { throw .notAllowed }
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

    /// Both must hold where both are given: an address by domain or file, and a group.
    private func admits(_ identity: ProviderIdentity) async -> Bool {
        guard who.groups.isEmpty || identity.groups.contains(where: isOneOfGroups) else { return false }
        guard who.restrictsEmails else { return true }
        guard identity.isEmailVerified, let email = identity.email else { return false }
        if isInDomains(email) { return true }
        return await emails?.contains(email) ?? false
    }

    private func isOneOfGroups(_ group: String) -> Bool {
        who.groups.contains { $0.utf8.elementsEqual(group.utf8) }
    }

    private func isInDomains(_ email: String) -> Bool {
        guard let at = email.utf8.lastIndex(of: UInt8(ascii: "@")) else { return false }
        let domain = email.utf8[email.utf8.index(after: at)...].map(\.lowercasedASCII)
        return who.emailDomains.contains { $0.utf8.elementsEqual(domain) }
    }
}
