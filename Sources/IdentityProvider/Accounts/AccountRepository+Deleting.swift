package import Time

/// Accounts that their owners delete.
///
/// The record stays a while, as that of a deleted account, so that a sign-in that is under way does not bring the
/// account back: whatever still leads to its subject is led to a new one. First it is marked, with what leads to it;
/// then that is removed; then all but the mark is; and at the end of the deletion the mark too.
extension AccountRepository {
    /// For how long the mark outlives the deletion: longer than a sign-in takes from finding its subject, and than
    /// another instance has the deletion claimed that carries its steps out again.
    private static let markLifetime = Duration.seconds(600)

    /// Deletes a subject's account. It may be repeated.
    ///
    /// - Returns: Whether there was one.
    package func delete(_ subject: String, at now: UnixTime) async throws(AccountProblem) -> Bool {
        for _ in 0..<Self.mostTries {
            switch try await records.find(subject) {
            case .none:
                if try await records.mark(nil, as: DeletedAccount(subject: subject)) { return false }
            case .account(let stored):
                _ = try await records.mark(stored, as: DeletedAccount(stored.record))
            case .deleted(let deleted):
                guard !deleted.account.isBare else { return true }
                try await forgetPointers(deleted.account)
                if try await records.mark(deleted, as: DeletedAccount(subject: subject)) { return true }
            }
        }
        throw overtaken()
    }

    /// Removes the mark of a deleted account: from then on an account hook may give the subject to a new one.
    package func finishDeletion(_ subject: String) async throws(AccountProblem) {
        guard case .deleted(let deleted) = try await records.find(subject) else { return }
        try await records.expire(deleted, in: Self.markLifetime)
    }

    /// Those that lead to somebody else meanwhile stay.
    private func forgetPointers(_ account: DeletedAccount) async throws(AccountProblem) {
        for identity in account.identities { try await forget(identity, ofSubject: account.subject) }
        for transfer in account.transfers { try await forget(transfer, ofSubject: account.subject) }
        for email in account.emails { try await forget(email, ofSubject: account.subject) }
        for passkey in account.passkeys { try await forget(passkey, ofSubject: account.subject) }
    }

    func forget(_ source: some AccountPointing, ofSubject subject: String) async throws(AccountProblem) {
        guard let pointer = try await records.pointer(of: source), pointer.subject.utf8.elementsEqual(subject.utf8)
        else { return }
        try await records.expire(pointer, of: source)
    }
}
