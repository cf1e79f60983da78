import Store
import Synchronization
import Tenants
import Time
import Verification

@testable import IdentityProvider

/// Providers that know the tokens they were told of, and say of every other that it is none of theirs.
final class PretendChecks: ExchangeChecking {
    private struct State {
        var apple: [String: CheckedAppleToken] = [:]
        var google: [String: ProviderIdentity] = [:]
        var events: [[UInt8]: AppleEvent] = [:]
    }

    private let state = Mutex(State())

    /// Apple signs a token for `subject`. Nonces are not looked at: whether they are the same is tried elsewhere.
    func issueApple(
        _ token: String,
        for subject: String = "001.apple",
        until expiresAt: UnixTime = ExchangeFixture.start + 600
    ) {
        let identity = ProviderIdentity(
            provider: .apple,
            subject: subject,
            email: "alice@example.org",
            isEmailVerified: true
        )
        let checked = CheckedAppleToken(
            identity: identity,
            signingInputSHA256: SHA256.digest(Array(token.utf8)),
            expiresAt: expiresAt
        )
        state.withLock { $0.apple[token] = checked }
    }

    func issueGoogle(_ token: String, for subject: String = "g-1", email: String? = nil, isEmailVerified: Bool = true) {
        let identity = ProviderIdentity(
            provider: .google,
            subject: subject,
            email: email,
            isEmailVerified: email != nil && isEmailVerified,
            name: "Alice"
        )
        state.withLock { $0.google[token] = identity }
    }

    func announce(_ event: AppleEvent, as body: [UInt8]) { state.withLock { $0.events[body] = event } }

    func appleIdentity(
        _ token: String,
        rawNonce: String?,
        at now: UnixTime
    ) async throws(EndpointRefusal) -> CheckedAppleToken {
        guard let checked = state.withLock({ $0.apple[token] }) else { throw .invalidToken("not Apple's") }
        guard now < checked.expiresAt + 60 else {
            throw EndpointRefusal(.tokenExpired, status: 401, detail: "expired")
        }
        return checked
    }

    func googleIdentity(idToken: String, at now: UnixTime) async throws(EndpointRefusal) -> ProviderIdentity {
        try google("id:\(idToken)")
    }

    func googleIdentity(accessToken: String, at now: UnixTime) async throws(EndpointRefusal) -> ProviderIdentity {
        try google("access:\(accessToken)")
    }

    private func google(_ token: String) throws(EndpointRefusal) -> ProviderIdentity {
        guard let identity = state.withLock({ $0.google[token] }) else { throw .invalidToken("not Google's") }
        return identity
    }

    func appleEvent(_ body: [UInt8], at now: UnixTime) async throws(EndpointRefusal) -> AppleEvent {
        guard let event = state.withLock({ $0.events[body] }) else { throw .invalidToken("not Apple's") }
        return event
    }
}

/// Accounts that are remembered for as long as the test runs.
final class PretendAccounts: AccountFinding {
    private struct State {
        var accounts: [Account.Identity: Account] = [:]
        var problem: AccountProblem?
        var arrivals: Arrivals?
        var forgotten: [Account.Identity] = []
    }

    private let state = Mutex(State())

    /// From now on every call comes to this.
    func fail(_ problem: AccountProblem?) { state.withLock { $0.problem = problem } }

    /// From now on whoever signs in waits until so many do.
    func gather(_ count: Int) { state.withLock { $0.arrivals = Arrivals(count) } }

    var all: [Account] { state.withLock { Array($0.accounts.values) } }

    func signIn(
        _ identity: ProviderIdentity,
        givenName: String?,
        at now: UnixTime
    ) async throws(AccountProblem) -> Account {
        if let arrivals = state.withLock({ $0.arrivals }) { await arrivals.wait() }
        try await check(identity)
        let key = Account.Identity(provider: identity.provider, subject: identity.subject)
        return state.withLock { state in
            let account =
                state.accounts[key]
                ?? Account(
                    subject: "account-of-\(identity.subject)",
                    role: "customer",
                    email: identity.email,
                    isEmailVerified: identity.isEmailVerified,
                    name: givenName ?? identity.name,
                    identities: [key],
                    createdAt: now
                )
            state.accounts[key] = account
            return account
        }
    }

    func check(_ identity: ProviderIdentity) async throws(AccountProblem) {
        if let problem = state.withLock({ $0.problem }) { throw problem }
    }

    func account(ofSubject subject: String) async throws(AccountProblem) -> Account? {
        if let problem = state.withLock({ $0.problem }) { throw problem }
        return all.first { $0.subject == subject }
    }

    func account(of identity: Account.Identity) async throws(AccountProblem) -> Account? {
        if let problem = state.withLock({ $0.problem }) { throw problem }
        return state.withLock { $0.accounts[identity] }
    }

    /// In order.
    var forgotten: [Account.Identity] { state.withLock { $0.forgotten } }

    func forget(_ identity: Account.Identity, at now: UnixTime) async throws(AccountProblem) {
        if let problem = state.withLock({ $0.problem }) { throw problem }
        state.withLock { $0.forgotten.append(identity) }
    }
}

/// Lets nobody through until all are there.
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

/// What an instance knows of revocations: what it has made itself, and by and by the others'. These only their own.
final class PretendRevocations: RevocationChecks {
    private let store: any Store
    private let known = Mutex<[Revocation]>([])

    init(_ store: any Store) {
        self.store = store
    }

    var all: [Revocation] { known.withLock { $0 } }

    private func all(_ tenant: String) -> [Revocation] { all.filter { $0.tenant == tenant } }

    func isRevoked(_ principal: Principal, tenant: String) async -> Bool {
        all(tenant).contains { revocation in
            switch revocation.target {
            case .token(_, let tokenID): principal.tokenID == tokenID
            case .session(let id): principal.sessionID == id
            case .subject(let subject):
                principal.subject == subject && principal.issuedAt ?? 0 < revocation.revokedAt
            case .signingInput(let hash): principal.signingInputSHA256 == hash
            case .tenant: principal.issuedAt ?? 0 < revocation.revokedAt
            }
        }
    }

    func isRevoked(_ session: IssuerSession, tenant: String) async -> Bool {
        all(tenant).contains { revocation in
            switch revocation.target {
            case .session(let id): session.id == id
            case .subject(let subject): session.subject == subject && session.createdAt < revocation.revokedAt
            case .tenant: session.createdAt < revocation.revokedAt
            case .token, .signingInput: false
            }
        }
    }

    func revoke(_ revocations: [Revocation]) async throws(StoreError) {
        _ = try await store.revoke(revocations)
        known.withLock { $0 += revocations }
    }
}
