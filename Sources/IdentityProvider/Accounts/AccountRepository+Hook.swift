import Tenants
import Time

/// Accounts that a hook decides on. They are stored too, so that later lookups need not call the hook.
extension AccountRepository {
    /// Stores the hook's decision: first the account, then the identity's pointer. After a crash in between the
    /// identity points where it did until its next sign-in, which calls the hook again.
    func follow(
        _ response: AccountHook.Response,
        _ identity: ProviderIdentity,
        givenName: String?,
        at now: UnixTime
    ) async throws(AccountProblem) -> Account {
        for _ in 0..<Self.mostTries {
            let stored: AccountRecords.Stored?
            switch try await records.find(response.subject) {
            case .none: stored = nil
            case .account(let found): stored = found
            case .deleted: throw Self.beingDeleted
            }
            var record = stored?.record ?? AccountRecord(Account(subject: response.subject, createdAt: now))
            try record.follow(response, elseAs: rules.role)
            if let transferSubject = identity.transferSubject { record.move(transferSubject, to: identity.key) }
            record.update(with: identity, givenName: givenName, at: now)
            guard try await records.replace(stored, with: record) else { continue }
            if try await lead(identity.key, to: response.subject, at: now) { return record.account }
        }
        throw overtaken()
    }

    /// The backend may not know yet that it has to delete the user, whom it would give back.
    private static let beingDeleted = AccountProblem.refusedByHook(
        status: 409,
        message: "This account is being deleted: try again later"
    )

    /// - Returns: Whether the identity points to `subject` now; false if another instance was faster.
    private func lead(
        _ identity: Account.Identity,
        to subject: String,
        at now: UnixTime
    ) async throws(AccountProblem) -> Bool {
        let pointer = try await records.pointer(of: identity)
        if let pointer {
            if pointer.subject.utf8.elementsEqual(subject.utf8) { return true }
            logger.notice(
                "the account hook gives an identity to another account",
                metadata: ["subject": .string(subject), "before": .string(pointer.subject)]
            )
            if let before = try await records.account(pointer.subject) {
                var record = before.record
                record.leave(identity)
                guard try await records.replace(before, with: record) else { return false }
            }
        }
        return try await records.point(identity, to: subject, insteadOf: pointer, at: now)
    }
}
