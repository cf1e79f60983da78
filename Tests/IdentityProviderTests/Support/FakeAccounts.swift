import Store
import Synchronization
import Tenants
import Time
import Verification

@testable import IdentityProvider

/// Accounts in memory.
final class FakeAccounts: AccountFinding {
    struct SignIn: Sendable, Equatable {
        var subject: String
        var givenName: String?
    }

    private struct State {
        var accounts: [Account] = []
        var problem: AccountProblem?
        var arrivals: Arrivals?
        var signIns: [SignIn] = []
        var forgotten: [Account.Identity] = []
    }

    private let state = Mutex(State())

    func put(_ account: Account) { state.withLock { $0.accounts.append(account) } }
    func removeAll() { state.withLock { $0.accounts = [] } }

    /// Makes every call fail; nil to make them work again.
    func fail(_ problem: AccountProblem?) { state.withLock { $0.problem = problem } }

    /// Makes each sign-in wait until there are `count` of them.
    func gather(_ count: Int) { state.withLock { $0.arrivals = Arrivals(count) } }

    var all: [Account] { state.withLock { $0.accounts } }
    /// In order.
    var signIns: [SignIn] { state.withLock { $0.signIns } }
    /// In order.
    var forgotten: [Account.Identity] { state.withLock { $0.forgotten } }

    func signIn(
        _ identity: ProviderIdentity,
        givenName: String?,
        at now: UnixTime
    ) async throws(AccountProblem) -> Account {
        if let arrivals = state.withLock({ $0.arrivals }) { await arrivals.wait() }
        state.withLock { $0.signIns.append(SignIn(subject: identity.subject, givenName: givenName)) }
        if let known = try await account(of: identity.key) { return known }
        let account = Account(
            subject: "account-of-\(identity.subject)",
            role: "customer",
            email: identity.email,
            isEmailVerified: identity.isEmailVerified,
            name: givenName ?? identity.name,
            identities: [identity.key],
            createdAt: now
        )
        return state.withLock { state in
            if let known = state.accounts.first(where: { $0.identities == account.identities }) { return known }
            state.accounts.append(account)
            return account
        }
    }

    func check(_ identity: ProviderIdentity) async throws(AccountProblem) { try checkProblem() }

    func account(ofSubject subject: String) async throws(AccountProblem) -> Account? {
        try checkProblem()
        return all.first { $0.subject == subject }
    }

    func account(of identity: Account.Identity) async throws(AccountProblem) -> Account? {
        try checkProblem()
        return all.first { $0.identities.contains(identity) }
    }

    func forget(_ identity: Account.Identity, at now: UnixTime) async throws(AccountProblem) {
        try checkProblem()
        state.withLock { $0.forgotten.append(identity) }
    }

    private func checkProblem() throws(AccountProblem) {
        if let problem = state.withLock({ $0.problem }) { throw problem }
    }
}

/// Holds callers until all have arrived.
private final class Arrivals: Sendable {
    private let state: Mutex<(missing: Int, waiting: [CheckedContinuation<Void, Never>])>

    init(_ count: Int) {
        state = Mutex((count, []))
    }

    func wait() async {
        await withCheckedContinuation { continuation in
            let released = state.withLock { state -> [CheckedContinuation<Void, Never>] in
                state.missing -= 1
                state.waiting.append(continuation)
                guard state.missing <= 0 else { return [] }
                defer { state.waiting = [] }
                return state.waiting
            }
            for waiter in released { waiter.resume() }
        }
    }
}
