public import IdentityProvider

/// The accounts of one tenant, for the admin API.
public protocol AccountAdministration: Sendable {
    /// - Returns: Nil if there is none.
    func account(ofSubject subject: String) async throws(AccountProblem) -> Account?

    /// Removes passkeys, the last way in among them.
    ///
    /// - Parameter id: Nil for all that the account has.
    func removePasskeys(
        _ id: [UInt8]?,
        ofSubject subject: String
    ) async throws(AccountChangeProblem) -> (removed: [AccountPasskey], account: Account)
}

extension AccountRepository: AccountAdministration {}
