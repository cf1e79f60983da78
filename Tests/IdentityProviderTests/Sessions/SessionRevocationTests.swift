import Store
import Testing
import Time
import Verification

@testable import IdentityProvider
@testable import TokenSigning

/// Revoked sessions, subjects and tenants.
struct SessionRevocationTests {
    private let start = SessionFixture.start

    enum Revoked: CaseIterable {
        case session, subject, tenant

        func target(_ tokens: IssuedTokens) -> RevocationTarget {
            switch self {
            case .session: .session(tokens.sessionID)
            case .subject: .subject("alice")
            case .tenant: .tenant
            }
        }
    }

    @Test(arguments: Revoked.allCases, [true, false])
    func revokedSessionIsNeitherRefreshedNorRenewed(_ revoked: Revoked, isRefresh: Bool) async throws {
        let store = MemoryStore.still
        let service = try SessionFixture(.chat, store)
        let tokens = try await service.signIn()
        let bystander = try await SessionFixture(.clans, store).signIn()
        let revocation = Revocation(tenant: "chat", target: revoked.target(tokens), revokedAt: start + 10)
        _ = try await store.revoke([revocation])
        let later = try await service.signIn(at: start + 10)
        let refused = try await refusal {
            if isRefresh { return try await service.sessions.refresh(tokens.refresh, at: start + 20) }
            return try await service.sessions.renew(sessionID: tokens.sessionID, subject: "alice", at: start + 20)
        }
        #expect(refused == .revoked)
        #expect(try await service.sessions.session(tokens.sessionID, at: start + 20) == nil)
        #expect(
            try await refusal { try await service.sessions.refresh(tokens.refresh, at: start + 21) } == .unknownSession
        )
        // Later sign-ins and other tenants are not affected.
        _ = try await service.sessions.refresh(later.refresh, at: start + 20)
        _ = try await SessionFixture(.clans, store).sessions.refresh(bystander.refresh, at: start + 20)
    }

    @Test func successorIsNotRepeatedAfterRevocation() async throws {
        let store = MemoryStore.still
        let service = try SessionFixture(.chat, store)
        let tokens = try await service.signIn()
        let next = try await service.sessions.refresh(tokens.refresh, at: start + 5)
        _ = try await store.revoke([Revocation(tenant: "chat", target: .subject("alice"), revokedAt: start + 10)])
        #expect(try await refusal { try await service.sessions.refresh(tokens.refresh, at: start + 11) } == .revoked)
        #expect(
            try await refusal { try await service.sessions.refresh(next.refresh, at: start + 11) } == .unknownSession
        )
    }

    @Test(arguments: StoreKind.allCases)
    func endAllEndsSessionsBegunBeforeTime(_ kind: StoreKind) async throws {
        try await kind.run { stores in
            let store = try await stores.store()
            let (one, other) = (try SessionFixture(.chat, store), try SessionFixture(.chat, try await stores.store()))
            let first = try await one.signIn()
            let second = try await other.signIn(at: start + 50)
            let later = try await one.signIn(at: start + 101)
            let bob = try await one.signIn("bob")
            let renewed = try await one.sessions.renew(sessionID: first.sessionID, subject: "alice", at: start + 150)
            try await other.sessions.endAll(ofSubject: "alice", before: start + 100, at: start + 200, reason: "deleted")

            for tokens in [first, second] {
                let refused = try await refusal { try await one.sessions.refresh(tokens.refresh, at: start + 201) }
                #expect(refused == .unknownSession)
            }
            #expect(try await one.sessions.sessions(ofSubject: "alice", at: start + 201).map(\.id) == [later.sessionID])
            _ = try await one.sessions.refresh(later.refresh, at: start + 201)
            _ = try await one.sessions.refresh(bob.refresh, at: start + 201)
            // Their access tokens too, even one issued after the time.
            let checks = StoredRevocations(store: store)
            for tokens in [first, second, renewed] {
                #expect(await checks.isRevoked(try one.verify(tokens, at: start + 201), tenant: "chat"))
            }
            #expect(await !checks.isRevoked(try one.verify(later, at: start + 201), tenant: "chat"))
            #expect(await !checks.isRevoked(try one.verify(bob, at: start + 201), tenant: "chat"))
        }
    }

    @Test func signInWithinSecondOfRevocationIsGood() async throws {
        let store = MemoryStore.still
        let service = try SessionFixture(.chat, store)
        let checks = StoredRevocations(store: store)
        let revocation = Revocation(tenant: "chat", target: .subject("alice"), revokedAt: start + 0.25)
        let before = try await service.signIn(at: start)
        try await checks.revoke([revocation])
        let after = try await service.signIn(at: start + 0.5)
        let other = try await service.signIn("bob", at: start + 0.5)
        // Signed in before, although its tokens are made after.
        let late = try await service.sessions.start(
            SessionOpening(subject: "alice", signedInAt: start),
            at: start + 0.5
        )
        let second = 1_800_000_000.0
        for (tokens, expected) in [(before, second), (after, second + 1), (other, second), (late, second)] {
            for token in [tokens.accessToken, tokens.idToken] {
                let claims = try service.claims(token)
                #expect(claims["iat"]?.double == expected && claims["auth_time"]?.double == expected)
            }
            let principal = try service.verify(tokens, at: start + 1)
            let isRefused = tokens.sessionID == before.sessionID || tokens.sessionID == late.sessionID
            #expect(await checks.isRevoked(principal, tenant: "chat") == isRefused)
        }
        // Signed in after it, although the code was redeemed later, and a provider knew the person before.
        let redeemed = try await service.sessions.start(
            SessionOpening(subject: "alice", signedInAt: start + 0.5, authenticatedAt: start - 5000),
            at: start + 3
        )
        let principal = try service.verify(redeemed, at: start + 4)
        #expect(await !checks.isRevoked(principal, tenant: "chat"))
        #expect(principal.claims["auth_time"]?.double == second - 5000)
        let refreshed = try await service.sessions.refresh(after.refresh, at: start + 0.6)
        #expect(try service.claims(refreshed.accessToken)["iat"]?.double == second + 1)
    }

    /// Also for as long as a token of another issuer may live.
    @Test func unlistedSessionIsRefusedAfterEndAll() async throws {
        let store = MemoryStore.still
        let service = try SessionFixture(.clans, store)
        let tokens = try await service.signIn()
        try await store.remove(StoreKey(tenant: "clans", kind: "sessions", hashing: "alice".utf8))
        try await service.sessions.endAll(ofSubject: "alice", before: start + 1, at: start + 1, reason: "deleted")
        #expect(try await service.sessions.session(tokens.sessionID, at: start + 2) != nil)
        #expect(try await refusal { try await service.sessions.refresh(tokens.refresh, at: start + 2) } == .revoked)
        // Besides the revocation of the session just refused.
        let records = try await store.revocations(tenant: "clans", cursor: nil, limit: 9).records
        let last = try #require(records.map(\.expiresAt).max())
        #expect(last >= start + 1 + 365 * 86_400)
    }
}
