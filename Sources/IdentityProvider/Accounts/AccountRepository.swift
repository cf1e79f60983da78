public import Events
public import Logging
public import Store
public import Tenants
public import Time
import Verification

/// People who have signed in, in the store: one account for each identity and each linked e-mail, however many
/// instances look at once, and wherever one of them crashes.
///
/// There are five kinds of records, each changed only by compare-and-set:
///
/// - an e-mail points to a subject (only with `link_by_email`, and only a verified one),
/// - a user's transfer identifier points to a subject (see `AppleTransfer`),
/// - an identity points to a subject, until it is unlinked,
/// - a passkey points to a subject,
/// - a subject has its account.
///
/// They are written in this order. The sign-in that writes the e-mail's record chooses the subject, and all others with
/// that e-mail use it; without an e-mail, the one that writes the identity's record does. A subject without an account
/// needs no repair: the next sign-in that is led to it creates the account. So after a crash between two records the
/// next sign-in continues, and nothing gets a second subject.
///
/// An e-mail's record is used only if the account agrees: one of its identities still has that e-mail. A record
/// that the account does not agree with, because its owner has another address now, gives no access; the address's next
/// owner replaces it. It is not deleted before: a blind delete could remove the next owner's record. While there is no
/// account yet, the record is used for ten minutes, which is longer than any sign-in takes and shorter than an
/// address takes to change hands.
///
/// Accounts are never merged. A known identity keeps its account, even if another account has its e-mail.
public struct AccountRepository: AccountFinding {
    /// How often a change is retried after others got in first; each retry means that one of them made progress.
    static let mostTries = 64
    /// Seconds for which an e-mail may point to an account that is still being created.
    private static let creationTime = 600.0

    let rules: AccountRules
    let records: AccountRecords
    let logger: Logger
    package let hook: AccountHook?
    /// Who may sign in with a passkey; nil: everyone who has one.
    let admission: Admission?
    /// Those of the tenant, one of which must know whoever signs in with a passkey; nil: it is not asked which.
    let providers: [SignIn.Provider]?
    /// How recently; nil: once is enough.
    let confirmation: Duration?
    /// Its name in tenants.yaml.
    let tenant: String
    /// Tells others of logins that are linked; nil: nobody is told.
    let outbox: EventOutbox?

    /// - Parameters:
    ///   - tenant: Its name in tenants.yaml.
    ///   - store: Open.
    ///   - hook: Decides instead of the rules; nil for none.
    ///   - admission: Who may sign in with a passkey; nil: everyone who has one.
    ///   - providers: Those of the tenant, one of which must know whoever signs in with a passkey; nil: it is not asked which.
    ///   - confirmation: How recently it must have; nil: once is enough.
    ///   - outbox: Tells others of logins that are linked; nil: nobody is told.
    public init(
        _ rules: AccountRules,
        tenant: String,
        store: any Store,
        hook: AccountHook? = nil,
        admission: Admission? = nil,
        providers: [SignIn.Provider]? = nil,
        confirmation: Duration? = nil,
        outbox: EventOutbox? = nil,
        logger: Logger = Logger(label: "gatehouse.accounts")
    ) {
        var logger = logger
        logger[metadataKey: "tenant"] = .string(tenant)
        self.rules = rules
        self.hook = hook
        self.admission = admission
        self.providers = providers
        self.confirmation = confirmation
        self.tenant = tenant
        self.outbox = outbox
        self.logger = logger
        records = AccountRecords(store, realm: rules.realm, tenant: tenant, logger: logger)
    }

    public func signIn(
        _ identity: ProviderIdentity,
        givenName: String?,
        at now: UnixTime
    ) async throws(AccountProblem) -> Account {
        if let hook {
            let answer = try await hook.decide(identity, name: identity.name ?? givenName, at: now)
            return try await follow(answer, identity, givenName: givenName, at: now)
        }
        for _ in 0..<Self.mostTries {
            guard let subject = try await subject(of: identity, at: now),
                let account = try await enter(subject, identity, givenName: givenName, at: now)
            else { continue }
            // Unlinked meanwhile: what was entered would be a way in that nobody can take away any more.
            guard try await leads(identity.key, to: subject) else {
                try await leave(identity.key, subject)
                continue
            }
            if let address = linkedAddress(identity) { try await link(address, to: subject, at: now) }
            return account
        }
        throw overtaken()
    }

    public func check(_ identity: ProviderIdentity) async throws(AccountProblem) {
        guard hook == nil, rules.role != nil else { return }
        if let pointer = try await records.pointer(of: identity.key) {
            try await records.account(pointer.subject)?.record.check(rules.role)
        } else if let subject = try await transferredSubject(identity) {
            try await records.account(subject)?.record.check(rules.role)
        } else if let address = linkedAddress(identity), let pointer = try await records.pointer(of: address),
            let stored = try await records.account(pointer.subject), stored.record.verifies(address)
        {
            try stored.record.check(rules.role)
        }
    }

    public func account(ofSubject subject: String) async throws(AccountProblem) -> Account? {
        try await records.account(subject)?.record.account
    }

    public func account(of identity: Account.Identity) async throws(AccountProblem) -> Account? {
        guard let pointer = try await records.pointer(of: identity) else { return nil }
        return try await account(ofSubject: pointer.subject)
    }

    /// The identity keeps pointing to the account: a provider never gives one identifier to two people, and a repeated
    /// event finds the same account.
    public func forget(_ identity: Account.Identity, at now: UnixTime) async throws(AccountProblem) {
        guard let pointer = try await records.pointer(of: identity) else { return }
        try await leave(identity, pointer.subject)
    }

    private func leads(_ identity: Account.Identity, to subject: String) async throws(AccountProblem) -> Bool {
        try await records.pointer(of: identity).map { $0.subject.utf8.elementsEqual(subject.utf8) } ?? false
    }

    /// Takes an identity out of an account.
    private func leave(_ identity: Account.Identity, _ subject: String) async throws(AccountProblem) {
        for _ in 0..<Self.mostTries {
            guard let stored = try await records.account(subject) else { return }
            var record = stored.record
            record.leave(identity)
            // Nobody is left who could have made them, and they are no way in by themselves.
            if record.links.isEmpty { record.removeAllPasskeys() }
            if try await records.replace(stored, with: record) { return }
        }
        throw overtaken()
    }

    /// The result of a change that lost too many races.
    func overtaken() -> AccountProblem {
        logger.warning("an account changes faster than a sign-in can be kept")
        return .unavailable(.storeUnavailable)
    }
}

// MARK: - Subjects

extension AccountRepository {
    /// The subject that `identity` points to; if there is none, a new pointer is stored.
    ///
    /// - Returns: Nil if another instance was faster: look again.
    private func subject(
        of identity: ProviderIdentity,
        at now: UnixTime
    ) async throws(AccountProblem) -> String? {
        if let pointer = try await records.pointer(of: identity.key) { return pointer.subject }
        let subject: String
        if let transferred = try await transferredSubject(identity) {
            subject = transferred
        } else if let address = linkedAddress(identity) {
            guard let linked = try await self.subject(linkedBy: address, at: now) else { return nil }
            subject = linked
        } else {
            subject = Self.newSubject()
        }
        guard try await records.point(identity.key, to: subject, insteadOf: nil, at: now) else { return nil }
        return subject
    }

    /// The subject that an e-mail points to; a new one, the same for all sign-ins with that e-mail, if there is none.
    ///
    /// - Returns: Nil if another instance was faster: look again.
    private func subject(
        linkedBy address: EmailAddress,
        at now: UnixTime
    ) async throws(AccountProblem) -> String? {
        let pointer = try await records.pointer(of: address)
        if let pointer {
            let found = try await records.find(pointer.subject)
            if Self.isInForce(pointer, to: found, for: address, at: now) {
                if case .account(let stored) = found { try stored.record.check(rules.role) }
                return pointer.subject
            }
        }
        let subject = Self.newSubject()
        return try await records.point(address, to: subject, insteadOf: pointer, at: now) ? subject : nil
    }

    /// Makes a verified e-mail point to this account, unless it points to another account that has it too.
    func link(
        _ address: EmailAddress,
        to subject: String,
        at now: UnixTime
    ) async throws(AccountProblem) {
        for _ in 0..<Self.mostTries {
            let pointer = try await records.pointer(of: address)
            if let pointer {
                if pointer.subject.utf8.elementsEqual(subject.utf8) { return }
                let other = try await records.find(pointer.subject)
                if Self.isInForce(pointer, to: other, for: address, at: now) {
                    logger.notice(
                        "two accounts have one verified e-mail; they are not merged",
                        metadata: ["subject": .string(subject), "other": .string(pointer.subject)]
                    )
                    return
                }
            }
            if try await records.point(address, to: subject, insteadOf: pointer, at: now) { return }
        }
        throw overtaken()
    }

    private static func isInForce(
        _ pointer: AccountRecords.Pointer,
        to found: AccountRecords.Found,
        for address: EmailAddress,
        at now: UnixTime
    ) -> Bool {
        switch found {
        case .none: now - pointer.since < creationTime
        case .account(let stored): stored.record.verifies(address)
        case .deleted: false
        }
    }

    /// The e-mail that may link `identity` to others; nil for none.
    func linkedAddress(_ identity: ProviderIdentity) -> EmailAddress? {
        rules.linkByEmail && identity.isEmailVerified ? identity.email.flatMap(EmailAddress.init) : nil
    }

    /// Keeps what is to be told of another login, or passkey, of an account.
    func reportLink(of provider: String, to subject: String, at now: UnixTime) async {
        guard let outbox, outbox.wants(.linked) else { return }
        let details: JSONObject = ["provider": .string(provider)]
        await outbox.keep(Event(.linked, tenant: tenant, subject: subject, at: now, details: details))
    }

    static func newSubject() -> String { Base64URL.encode(RandomBytes.make(16)) }

    // MARK: Accounts

    /// The account of `subject`, created if there is none, updated with what the provider reports.
    ///
    /// - Returns: Nil if another instance was faster: look again.
    private func enter(
        _ subject: String,
        _ identity: ProviderIdentity,
        givenName: String?,
        at now: UnixTime
    ) async throws(AccountProblem) -> Account? {
        let stored: AccountRecords.Stored?
        switch try await records.find(subject) {
        case .none: stored = nil
        case .account(let found): stored = found
        case .deleted:
            try await leave(deleted: subject, identity, at: now)
            return nil
        }
        var record = stored?.record ?? AccountRecord(Account(subject: subject, createdAt: now))
        try record.enter(as: rules.role)
        if let transferSubject = identity.transferSubject { record.move(transferSubject, to: identity.key) }
        record.update(with: identity, givenName: givenName, at: now)
        guard try await records.replace(stored, with: record) else { return nil }
        if let stored, record.account.identities.count > stored.record.account.identities.count {
            await reportLink(of: identity.provider.rawValue, to: subject, at: now)
        }
        return record.account
    }

    /// Leads an identity, which still leads to a deleted account, to a new one.
    private func leave(
        deleted subject: String,
        _ identity: ProviderIdentity,
        at now: UnixTime
    ) async throws(AccountProblem) {
        guard let pointer = try await records.pointer(of: identity.key),
            pointer.subject.utf8.elementsEqual(subject.utf8)
        else { return }
        let new: String
        if let address = linkedAddress(identity) {
            guard let linked = try await self.subject(linkedBy: address, at: now) else { return }
            new = linked
        } else {
            new = Self.newSubject()
        }
        _ = try await records.point(identity.key, to: new, insteadOf: pointer, at: now)
    }
}
