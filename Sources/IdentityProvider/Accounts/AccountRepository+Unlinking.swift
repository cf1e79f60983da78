public import Time

/// Logins that people unlink from their accounts.
extension AccountRepository {
    public var unlinksLogins: Bool { hook == nil }

    public func isUnlinkable(_ identity: Account.Identity, from account: Account) -> Bool {
        account.identities.contains { !$0.isSame(as: identity) && isOwn($0) }
    }

    /// The identity is led to a new subject first, so that it cannot get back in whatever happens then; that subject
    /// has no account until the identity signs in again.
    public func unlink(
        _ identity: Account.Identity,
        ofSubject subject: String,
        at now: UnixTime
    ) async throws(AccountChangeProblem) {
        guard unlinksLogins else { throw .decidedElsewhere }
        let stored = try await mappingErrors(AccountChangeProblem.account) { () async throws(AccountProblem) in
            try await records.account(subject)
        }
        guard let stored else { throw .notThere }
        try checkUnlinking(identity, from: stored.record)
        guard try await hasAnotherWayIn(stored.record, than: identity) else { throw .lastWayIn }
        let led = try await lead(identity, awayFrom: subject, at: now)
        try await forgetFormer(of: identity, in: stored.record, at: now)
        do throws(AccountChangeProblem) {
            try await change(subject) { record throws(AccountChangeProblem) in
                try checkUnlinking(identity, from: record)
                record.leave(identity)
            }
        } catch .lastWayIn {
            // The others have been unlinked meanwhile.
            if let led { try await leadBack(identity, from: led, to: subject, at: now) }
            throw .lastWayIn
        }
    }

    private func checkUnlinking(
        _ identity: Account.Identity,
        from record: AccountRecord
    ) throws(AccountChangeProblem) {
        guard record.links.contains(where: { $0.identity.isSame(as: identity) }) else { throw .notThere }
        guard isUnlinkable(identity, from: record.account) else { throw .lastWayIn }
    }

    /// Whether another login still leads to the account. One whose unlinking was not completed is listed, but does not.
    private func hasAnotherWayIn(
        _ record: AccountRecord,
        than identity: Account.Identity
    ) async throws(AccountChangeProblem) -> Bool {
        for other in record.account.identities where !other.isSame(as: identity) && isOwn(other) {
            if let pointer = try await pointer(of: other),
                pointer.subject.utf8.elementsEqual(record.account.subject.utf8)
            {
                return true
            }
        }
        return false
    }

    /// - Returns: The pointer to the new subject; nil if the identity is led elsewhere already.
    private func lead(
        _ identity: Account.Identity,
        awayFrom subject: String,
        at now: UnixTime
    ) async throws(AccountChangeProblem) -> AccountRecords.Pointer? {
        guard let pointer = try await pointer(of: identity), pointer.subject.utf8.elementsEqual(subject.utf8) else {
            return nil
        }
        let isLed = try await mappingErrors(AccountChangeProblem.account) { () async throws(AccountProblem) in
            try await records.point(identity, to: Self.newSubject(), insteadOf: pointer, at: now)
        }
        guard isLed else { throw .account(overtaken()) }
        return try await self.pointer(of: identity)
    }

    /// What the login was before its app moved to another of Apple's teams, and what finds it after the move.
    private func forgetFormer(
        of identity: Account.Identity,
        in record: AccountRecord,
        at now: UnixTime
    ) async throws(AccountChangeProblem) {
        guard let link = record.links.first(where: { $0.identity.isSame(as: identity) }) else { return }
        if let former = link.former {
            let login = Account.Identity(provider: identity.provider, subject: former.subject)
            _ = try await lead(login, awayFrom: record.account.subject, at: now)
        }
        for transfer in [link.transfer?.subject, link.former?.transferSubject].compactMap(\.self) {
            try await mappingErrors(AccountChangeProblem.account) { () async throws(AccountProblem) in
                try await forget(AppleTransferKey(transfer), ofSubject: record.account.subject)
            }
        }
    }

    private func leadBack(
        _ identity: Account.Identity,
        from pointer: AccountRecords.Pointer,
        to subject: String,
        at now: UnixTime
    ) async throws(AccountChangeProblem) {
        // If it is led elsewhere by now, it has signed in: somebody uses it as an account of its own.
        _ = try await mappingErrors(AccountChangeProblem.account) { () async throws(AccountProblem) in
            try await records.point(identity, to: subject, insteadOf: pointer, at: now)
        }
    }
}

extension AccountRepository {
    /// Whether an identity is one of the tenant's own providers'.
    func isOwn(_ identity: Account.Identity) -> Bool { providers?.contains(identity.provider) ?? true }
}
