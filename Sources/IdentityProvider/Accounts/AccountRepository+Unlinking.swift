public import Time

/// Logins that people unlink from their accounts.
extension AccountRepository {
    public var unlinksLogins: Bool { hook == nil }

    /// The identity is led to a new subject first, so that it cannot get back in whatever happens then; that subject
    /// has no account until the identity signs in again.
    public func unlink(
        _ identity: Account.Identity,
        ofSubject subject: String,
        countsPasskeys: Bool,
        at now: UnixTime
    ) async throws(AccountChangeProblem) {
        guard unlinksLogins else { throw .decidedElsewhere }
        let stored = try await mappingErrors(AccountChangeProblem.account) { () async throws(AccountProblem) in
            try await records.account(subject)
        }
        guard let stored else { throw .notThere }
        try Self.checkUnlinking(identity, from: stored.record, countsPasskeys: countsPasskeys)
        if let pointer = try await pointer(of: identity), pointer.subject.utf8.elementsEqual(subject.utf8) {
            let isLed = try await mappingErrors(AccountChangeProblem.account) { () async throws(AccountProblem) in
                try await records.point(identity, to: Self.newSubject(), insteadOf: pointer, at: now)
            }
            guard isLed else { throw .account(overtaken()) }
        }
        try await change(subject) { record throws(AccountChangeProblem) in record.leave(identity) }
    }

    private static func checkUnlinking(
        _ identity: Account.Identity,
        from record: AccountRecord,
        countsPasskeys: Bool
    ) throws(AccountChangeProblem) {
        guard record.links.contains(where: { $0.identity.isSame(as: identity) }) else { throw .notThere }
        guard record.waysIn(countingPasskeys: countsPasskeys) > 1 else { throw .lastWayIn }
    }
}
