/// What operators change about accounts.
extension AccountRepository {
    /// Removes passkeys, also the last way in: an operator who removes a copied one must not be stopped by that, and its
    /// owner gets back in by a provider's login of the same account alone.
    ///
    /// - Parameter id: Nil for all that the account has.
    /// - Returns: Those that were removed, and the account without them.
    /// - Throws: ``AccountChangeProblem/notThere`` for an unknown account, and for one that lacks the passkey.
    public func removePasskeys(
        _ id: [UInt8]?,
        ofSubject subject: String
    ) async throws(AccountChangeProblem) -> (removed: [AccountPasskey], account: Account) {
        var removed: [AccountPasskey] = []
        let account = try await change(subject) { record throws(AccountChangeProblem) in
            removed = record.account.passkeys.filter { id == nil || $0.credential.id == id }
            guard id == nil || !removed.isEmpty else { throw .notThere }
            for passkey in removed { record.removePasskey(passkey.credential.id) }
        }
        for passkey in removed { try await forgetPointer(ofPasskey: passkey.credential.id, subject) }
        return (removed, account)
    }
}
