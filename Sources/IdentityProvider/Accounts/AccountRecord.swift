import Localization
import Tenants
import Time
import Verification

/// An account in the store, with the e-mail that each of its identities currently verifies.
struct AccountRecord: Sendable {
    /// One identity, the last e-mail that its provider reported as verified, and when it last signed the person in.
    struct Link: Sendable {
        var identity: Account.Identity
        var email: String?
        /// nil in records of a version that did not keep it.
        var confirmedAt: UnixTime?
        /// What Apple calls it towards the team that the app moves to; nil if that was not asked.
        var transfer: AppleTransfer?
        /// What it was before the app moved to another team.
        var former: AppleFormerLogin?
    }

    private(set) var account: Account
    private(set) var links: [Link]

    /// - Parameter links: Replace the account's identities.
    init(_ account: Account, links: [Link] = []) {
        self.account = account
        self.links = links
        self.account.identities = links.map(\.identity)
    }

    /// Whether one of the account's identities still has this e-mail. An address that all of them gave up may belong to
    /// somebody else by now.
    func verifies(_ address: EmailAddress) -> Bool {
        links.contains { $0.email.flatMap(EmailAddress.init) == address }
    }

    /// Updates one of the account's identities, or adds it, with what the provider reports.
    ///
    /// The account takes over an e-mail only if it is new: two providers that keep reporting different ones do not
    /// change it back and forth. An unverified e-mail does not replace a verified one.
    ///
    /// - Parameter now: When it signed the person in; nil if it did not.
    mutating func update(with identity: ProviderIdentity, givenName: String?, at now: UnixTime?) {
        let link = link(of: identity.key)
        if let now { links[link].confirmedAt = now }
        if let email = identity.email, let address = EmailAddress(email) {
            let isNew = links[link].email.flatMap(EmailAddress.init) != address
            links[link].email = identity.isEmailVerified ? email : nil
            let isTaken = identity.isEmailVerified ? isNew || !account.isEmailVerified : !account.isEmailVerified
            if isTaken || account.email == nil {
                account.email = email
                account.isPrivateEmail = identity.isPrivateEmail
            }
            account.isEmailVerified = account.email.flatMap(EmailAddress.init).map(verifies) ?? false
        }
        if account.name == nil { account.name = (identity.name ?? givenName).flatMap(PersonName.kept) }
    }

    func has(_ identity: Account.Identity) -> Bool { links.contains { $0.identity.isSame(as: identity) } }

    /// Whether one of the logins has this transfer identifier, before or after its app has moved.
    func isFound(by transferSubject: String) -> Bool {
        links.contains { link in
            [link.transfer?.subject, link.former?.transferSubject].contains { known in
                known.map { $0.utf8.elementsEqual(transferSubject.utf8) } ?? false
            }
        }
    }

    /// - Parameter transfer: Replaces an earlier one, for another team.
    mutating func note(_ transfer: AppleTransfer, of identity: Account.Identity) {
        for index in links.indices where links[index].identity.isSame(as: identity) { links[index].transfer = transfer }
    }

    /// Puts an identity of Apple's new team in the place of that of the old one. Repeating it changes nothing.
    mutating func move(_ transferSubject: String, to identity: Account.Identity) {
        let place = links.firstIndex { link in
            link.transfer.map { $0.subject.utf8.elementsEqual(transferSubject.utf8) } ?? false
        }
        guard let place, !links[place].identity.isSame(as: identity) else { return }
        let former = AppleFormerLogin(subject: links[place].identity.subject, transferSubject: transferSubject)
        if let known = links.firstIndex(where: { $0.identity.isSame(as: identity) }) {
            links[known].former = former
            links.remove(at: place)
        } else {
            links[place] = Link(
                identity: identity,
                email: links[place].email,
                confirmedAt: links[place].confirmedAt,
                former: former
            )
        }
        account.identities = links.map(\.identity)
    }

    /// Takes `role` if the account has none yet.
    ///
    /// - Throws: ``AccountProblem/otherRole(_:)``.
    mutating func enter(as role: String?) throws(AccountProblem) {
        guard let role else { return }
        try check(role)
        account.role = role
    }

    /// - Throws: ``AccountProblem/otherRole(_:)`` if the account has another role.
    func check(_ role: String?) throws(AccountProblem) {
        guard let role, let registered = account.role, !registered.utf8.elementsEqual(role.utf8) else { return }
        throw .otherRole(registered)
    }

    /// Takes over an account hook's decision, which is final.
    ///
    /// - Parameter role: The tenant's, used if the hook gives none.
    /// - Throws: ``AccountProblem/otherRole(_:)``, if the hook gives none.
    mutating func follow(_ response: AccountHook.Response, elseAs role: String?) throws(AccountProblem) {
        if let role = response.role { account.role = role } else { try enter(as: role) }
        account.claims = response.claims
    }

    mutating func add(_ passkey: AccountPasskey) { account.passkeys.append(passkey) }

    /// Replaces the passkey with the same identifier.
    mutating func replace(_ passkey: AccountPasskey) {
        guard let index = account.passkeys.firstIndex(where: { $0.credential.id == passkey.credential.id }) else {
            return
        }
        account.passkeys[index] = passkey
    }

    mutating func removeAllPasskeys() { account.passkeys = [] }

    mutating func removePasskey(_ id: [UInt8]) { account.passkeys.removeAll { $0.credential.id == id } }

    /// Removes the identity; the account's e-mail stays verified only if another identity verifies it.
    mutating func leave(_ identity: Account.Identity) {
        links.removeAll { $0.identity.isSame(as: identity) }
        account.identities = links.map(\.identity)
        account.isEmailVerified = account.email.flatMap(EmailAddress.init).map(verifies) ?? false
    }

    private mutating func link(of identity: Account.Identity) -> Int {
        if let index = links.firstIndex(where: { $0.identity.isSame(as: identity) }) { return index }
        // A token from before the app moved to another team.
        if let index = links.firstIndex(where: { $0.was(identity) }) { return index }
        links.append(Link(identity: identity, email: nil))
        account.identities.append(identity)
        return links.count - 1
    }
}

extension AccountRecord.Link {
    /// Whether this is what Apple called it at the app's former team.
    fileprivate func was(_ identity: Account.Identity) -> Bool {
        guard let former else { return false }
        return Account.Identity(provider: self.identity.provider, subject: former.subject).isSame(as: identity)
    }
}

extension ProviderIdentity {
    /// The provider's identifier for it.
    var key: Account.Identity { Account.Identity(provider: provider, subject: subject) }
}

extension Account.Identity {
    /// Compares bytes, as the store's keys do.
    func isSame(as other: Account.Identity) -> Bool {
        provider == other.provider && subject.utf8.elementsEqual(other.subject.utf8)
    }
}

/// An e-mail address in the form by which accounts are found: ASCII letters in lower case, the rest unchanged.
struct EmailAddress: Sendable, Equatable {
    /// A local part of 64 octets, `@`, and a domain of 255 (RFC 5321 section 4.5.3.1).
    private static let longest = 320

    let bytes: [UInt8]

    /// - Returns: Nil for what cannot be an address: it needs an `@` with text on both sides, and no control characters
    ///   or spaces.
    init?(_ text: String) {
        let bytes = text.utf8.map(\.lowercasedASCII)
        guard bytes.count <= Self.longest, bytes.allSatisfy({ $0 > 0x20 && $0 != 0x7F }),
            let at = bytes.lastIndex(of: UInt8(ascii: "@")), at > 0, at < bytes.count - 1
        else { return nil }
        self.bytes = bytes
    }
}

/// A display name from an app or a provider.
enum PersonName {
    private static let longest = 200

    /// - Returns: At most 200 bytes without control characters and outer white space; nil if nothing is left.
    static func kept(_ text: String) -> String? { BoundedText.kept(text, bytes: longest) }
}
