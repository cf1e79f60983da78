public import Tenants
package import Verification

/// Whom a tenant's `who` lets in.
public struct Admission: Sendable {
    private let who: SignInAdmission
    private let emails: (any EmailListing)?

    /// - Parameter emails: Nil without `emails_file`.
    public init(_ who: SignInAdmission, emails: (any EmailListing)?) {
        self.who = who
        self.emails = emails
    }

    /// Both must hold where both are given: an address by domain or file, and a group.
    func admits(_ identity: ProviderIdentity) async -> Bool {
        await admits(groups: identity.groups, email: identity.email, isVerified: identity.isEmailVerified)
    }

    /// The groups that verified claims name; empty if groups do not count.
    package func groups(in claims: JSONObject) -> [String] {
        who.groups.isEmpty ? [] : who.groupsClaim.value(in: claims)?.stringOrStrings ?? []
    }

    package func admits(groups: [String], email: String?, isVerified: Bool) async -> Bool {
        guard who.groups.isEmpty || groups.contains(where: isOneOfGroups) else { return false }
        return await admits(email: email, isVerified: isVerified)
    }

    /// By what is kept of somebody who signs in without a provider; which groups one is in only a provider says.
    func admits(_ account: Account) async -> Bool {
        guard who.groups.isEmpty else { return false }
        return await admits(email: account.email, isVerified: account.isEmailVerified)
    }

    private func admits(email: String?, isVerified: Bool) async -> Bool {
        guard who.restrictsEmails else { return true }
        guard isVerified, let email else { return false }
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
