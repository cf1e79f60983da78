import Synchronization
import Time

@testable import IdentityProvider

/// Accounts that a test puts there; nobody signs in.
final class KnownAccounts: AccountFinding {
    private struct State {
        var accounts: [Account] = []
        var problem: AccountProblem?
    }

    private let state = Mutex(State())

    func put(_ account: Account) { state.withLock { $0.accounts.append(account) } }

    func removeAll() { state.withLock { $0.accounts = [] } }

    /// From now on nothing can be looked up.
    func fail(with problem: AccountProblem) { state.withLock { $0.problem = problem } }

    func signIn(
        _ identity: ProviderIdentity,
        givenName: String?,
        at now: UnixTime
    ) async throws(AccountProblem) -> Account {
        throw .otherRole("nobody signs in here")
    }

    func check(_ identity: ProviderIdentity) async throws(AccountProblem) {}

    func account(ofSubject subject: String) async throws(AccountProblem) -> Account? {
        try find { $0.subject == subject }
    }

    func account(of identity: Account.Identity) async throws(AccountProblem) -> Account? {
        try find { $0.identities.contains(identity) }
    }

    func forget(_ identity: Account.Identity, at now: UnixTime) async throws(AccountProblem) {}

    private func find(_ fits: (Account) -> Bool) throws(AccountProblem) -> Account? {
        let state = state.withLock { $0 }
        if let problem = state.problem { throw problem }
        return state.accounts.first(where: fits)
    }
}
