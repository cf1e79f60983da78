public import Time
public import Verification

/// Passkeys are in their account's record; what finds the account is a pointer of each (see ``AccountRecords``). The
/// account is changed first, so that after a crash in between its owner still sees the passkey, and can remove it.
extension AccountRepository: AccountKeeping {
    public func signIn(
        _ claim: PasskeyClaim,
        at now: UnixTime,
        _ check: (PasskeyCredential) throws(PasskeyFailure) -> PasskeyCredential
    ) async throws(PasskeyProblem) -> (account: Account, passkey: AccountPasskey) {
        for _ in 0..<Self.mostTries {
            guard let stored = try await account(of: claim) else { throw .unknown }
            var record = stored.record
            let subject = record.account.subject
            guard ConstantTime.areEqual(AccountPasskey.userHandle(ofSubject: subject), claim.userHandle),
                var passkey = record.account.passkeys.first(where: { $0.credential.id == claim.id })
            else { throw .unknown }
            do throws(PasskeyFailure) {
                passkey.credential = try check(passkey.credential)
            } catch {
                throw .refused(error, subject: subject)
            }
            passkey.usedAt = now
            record.replace(passkey)
            try await admit(&record, at: now)
            let changed = record
            let isKept = try await mappingErrors(PasskeyProblem.account) { () async throws(AccountProblem) in
                try await records.replace(stored, with: changed)
            }
            if isKept { return (record.account, passkey) }
        }
        throw .account(overtaken())
    }

    public func add(
        _ passkey: AccountPasskey,
        toSubject subject: String,
        at now: UnixTime
    ) async throws(AccountChangeProblem) {
        let key = PasskeyKey(passkey.credential.id)
        guard try await pointer(of: key) == nil else { throw .passkeyTaken }
        try await change(subject) { record throws(AccountChangeProblem) in
            guard record.account.passkeys.count < AccountPasskey.most else { throw .tooManyPasskeys }
            guard !record.has(passkey.credential.id) else { throw .passkeyTaken }
            record.add(passkey)
        }
        let isPointed = try await mappingErrors(AccountChangeProblem.account) { () async throws(AccountProblem) in
            try await records.point(key, to: subject, insteadOf: nil, at: now)
        }
        guard !isPointed else { return await reportLink(of: "passkey", to: subject, at: now) }
        // Somebody else has added it meanwhile.
        try await change(subject) { record throws(AccountChangeProblem) in record.removePasskey(passkey.credential.id) }
        throw .passkeyTaken
    }

    public func renamePasskey(
        _ id: [UInt8],
        ofSubject subject: String,
        to name: String
    ) async throws(AccountChangeProblem) {
        try await change(subject) { record throws(AccountChangeProblem) in
            guard var passkey = record.account.passkeys.first(where: { $0.credential.id == id }) else {
                throw .notThere
            }
            passkey.name = name
            record.replace(passkey)
        }
    }

    public func removePasskey(_ id: [UInt8], ofSubject subject: String) async throws(AccountChangeProblem) {
        try await change(subject) { record throws(AccountChangeProblem) in
            guard record.has(id) else { throw .notThere }
            record.removePasskey(id)
        }
        try await forgetPointer(ofPasskey: id, subject)
    }

    /// It leads to an account that does not have the passkey, and so to none: it need not be kept.
    func forgetPointer(ofPasskey id: [UInt8], _ subject: String) async throws(AccountChangeProblem) {
        let key = PasskeyKey(id)
        guard let pointer = try await pointer(of: key), pointer.subject.utf8.elementsEqual(subject.utf8) else { return }
        try await mappingErrors(AccountChangeProblem.account) { () async throws(AccountProblem) in
            try await records.expire(pointer, of: key)
        }
    }
}

extension AccountRepository {
    private func account(of claim: PasskeyClaim) async throws(PasskeyProblem) -> AccountRecords.Stored? {
        try await mappingErrors(PasskeyProblem.account) { () async throws(AccountProblem) in
            guard let pointer = try await records.pointer(of: PasskeyKey(claim.id)) else { return nil }
            return try await records.account(pointer.subject)
        }
    }

    func pointer(of source: some AccountPointing) async throws(AccountChangeProblem) -> AccountRecords.Pointer? {
        try await mappingErrors(AccountChangeProblem.account) { () async throws(AccountProblem) in
            try await records.pointer(of: source)
        }
    }

    /// Changes the account of a subject.
    ///
    /// - Returns: The account as it is kept now.
    @discardableResult func change(
        _ subject: String,
        _ change: (inout AccountRecord) throws(AccountChangeProblem) -> Void
    ) async throws(AccountChangeProblem) -> Account {
        for _ in 0..<Self.mostTries {
            let stored = try await mappingErrors(AccountChangeProblem.account) { () async throws(AccountProblem) in
                try await records.account(subject)
            }
            guard let stored else { throw .notThere }
            var record = stored.record
            try change(&record)
            let changed = record
            let isKept = try await mappingErrors(AccountChangeProblem.account) { () async throws(AccountProblem) in
                try await records.replace(stored, with: changed)
            }
            if isKept { return changed.account }
        }
        throw .account(overtaken())
    }

    /// What decides on a sign-in with a provider decides on this one too. The hook is asked with the first of the
    /// account's logins, and must know the account by the same subject.
    private func admit(_ record: inout AccountRecord, at now: UnixTime) async throws(PasskeyProblem) {
        var admitted = record
        guard await admission?.admits(record.account) ?? true, isKnown(record, at: now) else {
            throw .account(.notAllowed)
        }
        do throws(AccountProblem) {
            guard let hook else {
                // Only who was here by a provider has a role here: a tenant of the same realm may let in others.
                guard rules.role == nil || admitted.account.role != nil else { throw AccountProblem.notAllowed }
                try admitted.enter(as: rules.role)
                record = admitted
                return
            }
            let refused = AccountProblem.refusedByHook(status: 403, message: "This account may not sign in here")
            guard let identity = record.firstIdentity else { throw refused }
            let response = try await hook.decide(
                identity,
                name: record.account.name,
                byPasskeyOf: record.account.identities,
                at: now
            )
            guard response.subject.utf8.elementsEqual(record.account.subject.utf8) else { throw refused }
            try admitted.follow(response, elseAs: rules.role)
            record = admitted
        } catch {
            throw .account(error)
        }
    }
}

extension AccountRepository {
    /// Whether one of the tenant's own providers has signed somebody in, recently enough: another tenant of the realm may let
    /// in others, and a provider that the tenant no longer has lets in nobody.
    private func isKnown(_ record: AccountRecord, at now: UnixTime) -> Bool {
        guard providers != nil else { return true }
        return record.links.contains { link in
            guard isOwn(link.identity) else { return false }
            guard let confirmation else { return true }
            return link.confirmedAt.map { now < $0 + confirmation.secondsAsDouble } ?? false
        }
    }
}

/// A passkey, which points to its account.
struct PasskeyKey: AccountPointing {
    let bytes: [UInt8]

    /// - Parameter id: The credential's.
    init(_ id: [UInt8]) {
        bytes = id
    }

    var pointerKind: String { "account-passkey" }
}
