import IdentityProvider
import Synchronization

@testable import AdminAPI

/// Accounts whose store may be away.
final class FailingAccounts: AccountAdministration {
    private let accounts: AccountRepository
    private let away = Mutex(false)

    init(_ accounts: AccountRepository) {
        self.accounts = accounts
    }

    var isAway: Bool {
        get { away.withLock { $0 } }
        set { away.withLock { $0 = newValue } }
    }

    private func check() throws(AccountProblem) {
        if isAway { throw .unavailable(.storeUnavailable) }
    }

    func account(ofSubject subject: String) async throws(AccountProblem) -> Account? {
        try check()
        return try await accounts.account(ofSubject: subject)
    }

    func removePasskeys(
        _ id: [UInt8]?,
        ofSubject subject: String
    ) async throws(AccountChangeProblem) -> (removed: [AccountPasskey], account: Account) {
        do throws(AccountProblem) { try check() } catch { throw .account(error) }
        return try await accounts.removePasskeys(id, ofSubject: subject)
    }
}
