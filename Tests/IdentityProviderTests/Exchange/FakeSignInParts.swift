import Store
import Synchronization
import Tenants
import Time
import Verification

@testable import IdentityProvider

/// Knows the tokens of a test, and refuses all others.
final class FakeChecks: ExchangeChecking {
    private struct State {
        var apple: [String: CheckedIDToken] = [:]
        var google: [String: ProviderIdentity] = [:]
        var named: [String: CheckedIDToken] = [:]
        var events: [[UInt8]: AppleEvent] = [:]
    }

    private let state = Mutex(State())

    /// Registers a token of Apple's. Nonces are not checked here.
    func issueApple(
        _ token: String,
        for subject: String = "001.apple",
        until expiresAt: UnixTime = ExchangeFixture.start + 600,
        clientID: String? = nil
    ) {
        let identity = ProviderIdentity(
            provider: .apple,
            subject: subject,
            email: "alice@example.org",
            isEmailVerified: true
        )
        let checked = CheckedIDToken(
            identity: identity,
            signingInputSHA256: SHA256.digest(Array(token.utf8)),
            expiresAt: expiresAt,
            clientID: clientID
        )
        state.withLock { $0.apple[token] = checked }
    }

    /// Registers a token of a named provider. Nonces are not checked here.
    func issueNamed(_ token: String, for subject: String = "n-1", until expiresAt: UnixTime) {
        let checked = CheckedIDToken(
            identity: ProviderIdentity(provider: .named("company"), subject: subject),
            signingInputSHA256: SHA256.digest(Array(token.utf8)),
            expiresAt: expiresAt
        )
        state.withLock { $0.named[token] = checked }
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

    func namedIdentity(
        _ provider: NamedProvider,
        idToken: String,
        nonce: String?,
        at now: UnixTime
    ) async throws(EndpointRefusal) -> CheckedIDToken {
        guard let checked = state.withLock({ $0.named[idToken] }) else { throw .invalidToken("not a named provider's") }
        return checked
    }

    func appleIdentity(
        _ token: String,
        rawNonce: String?,
        at now: UnixTime
    ) async throws(EndpointRefusal) -> CheckedIDToken {
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

/// The revocations of one instance: its own only, as if the other instances' had not arrived yet.
final class FakeRevocations: RevocationChecks {
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

    func latestRevocation(ofSubject subject: String, tenant: String) async -> UnixTime? {
        all(tenant).filter { $0.target == .subject(subject) || $0.target == .tenant }.map(\.revokedAt).max()
    }

    func revoke(_ revocations: [Revocation]) async throws(StoreError) {
        _ = try await store.revoke(revocations)
        known.withLock { $0 += revocations }
    }
}
