import Store
import Synchronization
import TestSupport
import Testing
import Time
import Verification

@testable import IdentityProvider
@testable import TokenSigning

struct SessionServiceTests {
    private let start = SessionFixture.start

    @Test(arguments: [IssuerRules.chat, .clans])
    func signInGivesVerifiableTokens(_ rules: IssuerRules) async throws {
        let service = try SessionFixture(rules)
        let opening = SessionOpening(
            subject: "alice",
            claims: ["email": "alice@example.org", "role": "member"],
            scopes: ["openid", "email"],
            clientID: "app"
        )
        let tokens = try await service.sessions.start(opening, at: start)
        let principal = try service.verify(tokens)
        #expect(principal.subject == "alice")
        #expect(principal.sessionID == tokens.sessionID)
        #expect(principal.roles == ["member"])
        #expect(principal.scopes == ["openid", "email"])
        #expect(principal.claims["email"] == "alice@example.org")
        #expect(principal.claims["client_id"] == "app")
        #expect(principal.algorithm == rules.algorithm)
        #expect(principal.issuedAt?.seconds == start.seconds.rounded(.down))
        #expect(principal.expiresAt == tokens.accessExpiresAt)
        #expect(
            tokens.accessExpiresAt.seconds == start.seconds.rounded(.down) + Double(rules.access.components.seconds)
        )
        #expect(tokens.expiresIn == Int(rules.access.components.seconds))
        #expect(tokens.sessionExpiresAt == start + Double(rules.refresh.components.seconds))
        #expect(try service.verify(tokens, at: tokens.accessExpiresAt - 1).tokenID == principal.tokenID)
        #expect(throws: VerificationFailure.self) { try service.verify(tokens, at: tokens.accessExpiresAt) }
    }

    @Test func signInsShareNothing() async throws {
        let service = try SessionFixture()
        let (first, second) = (try await service.signIn(), try await service.signIn())
        #expect(first.sessionID != second.sessionID)
        #expect(first.refreshToken != second.refreshToken)
        #expect(try service.verify(first).tokenID != service.verify(second).tokenID)
    }

    @Test func refreshGivesNewPairOfSameSession() async throws {
        let service = try SessionFixture()
        let first = try await service.signIn()
        let second = try await service.sessions.refresh(first.refresh, at: start + 1000)
        #expect(second.sessionID == first.sessionID)
        #expect(try second.refresh != first.refresh)
        #expect(second.sessionExpiresAt == first.sessionExpiresAt + 1000)
        let principal = try service.verify(second, at: start + 1000)
        #expect(principal.subject == "alice")
        #expect(principal.claims["email"] == "alice@example.org")
        #expect(try principal.tokenID != service.verify(first).tokenID)
        #expect(principal.expiresAt?.seconds == (start + 1000).seconds.rounded(.down) + 1800)
        let third = try await service.sessions.refresh(second.refresh, at: start + 2000)
        #expect(third.sessionID == first.sessionID)
    }

    @Test func renewalKeepsRefreshToken() async throws {
        let service = try SessionFixture()
        let first = try await service.signIn()
        let renewed = try await service.sessions.renew(sessionID: first.sessionID, subject: "alice", at: start + 1000)
        #expect(renewed.refreshToken == nil)
        #expect(renewed.sessionExpiresAt == first.sessionExpiresAt + 1000)
        #expect(try service.verify(renewed, at: start + 1000).sessionID == first.sessionID)
        #expect(try await service.sessions.refresh(first.refresh, at: start + 1001).sessionID == first.sessionID)
    }

    @Test func renewalForAnotherSubjectIsRefused() async throws {
        let service = try SessionFixture()
        // Equal to another spelling by Swift's `==`, but not by bytes.
        let session = try await service.signIn("\u{E9}lodie").sessionID
        for other in ["bob", "", "e\u{301}lodie"] {
            let refused = try await refusal {
                try await service.sessions.renew(sessionID: session, subject: other, at: start)
            }
            #expect(refused == .otherSubject)
        }
        _ = try await service.sessions.renew(sessionID: session, subject: "\u{E9}lodie", at: start)
    }

    @Test func refreshForAnotherSubjectDoesNotSpendToken() async throws {
        let service = try SessionFixture()
        let tokens = try await service.signIn()
        let refused = try await refusal {
            try await service.sessions.refresh(tokens.refresh, subject: "bob", at: start)
        }
        #expect(refused == .otherSubject)
        #expect(try await service.sessions.session(tokens.sessionID, at: start)?.family.rotations == [])
        let second = try await service.sessions.refresh(tokens.refresh, subject: "alice", at: start)
        let late = try await refusal {
            try await service.sessions.refresh(tokens.refresh, subject: "bob", at: start + 1)
        }
        #expect(late == .otherSubject)
        #expect(
            try await service.sessions.refresh(tokens.refresh, subject: "alice", at: start + 1).refresh
                == second.refresh
        )
    }

    @Test func endedSessionIsRefused() async throws {
        let store = MemoryStore.still
        let service = try SessionFixture(.chat, store)
        let tokens = try await service.signIn()
        let other = try await service.signIn()
        try await service.sessions.end(sessionID: tokens.sessionID, at: start + 5)
        #expect(
            try await refusal { try await service.sessions.refresh(tokens.refresh, at: start + 6) } == .unknownSession
        )
        let renewal = try await refusal {
            try await service.sessions.renew(sessionID: tokens.sessionID, subject: "alice", at: start + 6)
        }
        #expect(renewal == .unknownSession)
        #expect(try await service.sessions.session(tokens.sessionID, at: start + 6) == nil)
        #expect(try await service.sessions.session(other.sessionID, at: start + 6) != nil)
        let revoked = try await store.revocations(tenant: "chat", cursor: nil, limit: 10).records
        #expect(revoked.map(\.note.id) == [tokens.sessionID])
        // For the lifetime of its last access token.
        #expect(try #require(revoked.first).expiresAt >= start + 5 + 1800)
        try await service.sessions.end(sessionID: tokens.sessionID, at: start + 7)
    }

    @Test func unusedSessionExpires() async throws {
        let service = try SessionFixture(.clans)
        let tokens = try await service.signIn()
        let end = tokens.sessionExpiresAt
        #expect(try await service.sessions.session(tokens.sessionID, at: end - 1) != nil)
        #expect(try await service.sessions.session(tokens.sessionID, at: end) == nil)
        #expect(try await refusal { try await service.sessions.refresh(tokens.refresh, at: end) } == .expired)
        let renewal = try await refusal {
            try await service.sessions.renew(sessionID: tokens.sessionID, subject: "alice", at: end)
        }
        #expect(renewal == .expired)
        #expect(try await service.sessions.refresh(tokens.refresh, at: end - 1).sessionID == tokens.sessionID)
    }

    @Test func usedSessionEndsAtMaximumLifetime() async throws {
        let service = try SessionFixture(.clans)
        var tokens = try await service.signIn()
        for hour in stride(from: 20.0, to: 72, by: 20) {
            tokens = try await service.sessions.refresh(tokens.refresh, at: start + hour * 3600)
        }
        let end = start + 3 * 86_400
        #expect(tokens.sessionExpiresAt == end)
        #expect(try await refusal { try await service.sessions.refresh(tokens.refresh, at: end) } == .expired)
    }

    @Test func recordOutlivesSession() async throws {
        let clock = Mutex(start)
        let store = MemoryStore(clock: { clock.withLock { $0 } })
        let service = try SessionFixture(.clans, store)
        let tokens = try await service.signIn()
        let key = StoreKey(tenant: "clans", kind: "session", name: tokens.sessionID)
        clock.withLock { $0 = start + 3600 }
        let next = try await service.sessions.refresh(tokens.refresh, at: start + 3600)
        #expect(next.sessionExpiresAt == start + 3600 + 86_400)
        clock.withLock { $0 = next.sessionExpiresAt + 29 }
        #expect(try await store.value(for: key) != nil)
        clock.withLock { $0 = next.sessionExpiresAt + 30 }
        #expect(try await store.value(for: key) == nil)
    }

    @Test func sessionHasDetailsForDisplay() async throws {
        let service = try SessionFixture()
        let tokens = try await service.sessions.start(
            SessionOpening(
                subject: "alice",
                claims: ["role": "member"],
                scopes: ["openid"],
                clientID: "app",
                device: "Chat/2 (iPhone)",
                provider: "apple"
            ),
            at: start
        )
        _ = try await service.sessions.renew(sessionID: tokens.sessionID, subject: "alice", at: start + 60)
        let session = try #require(try await service.sessions.session(tokens.sessionID, at: start + 61))
        #expect(session.subject == "alice" && session.clientID == "app" && session.device == "Chat/2 (iPhone)")
        #expect(session.claims == ["role": "member"] && session.scopes == ["openid"] && session.provider == "apple")
        #expect(session.createdAt == start && session.lastUsedAt == start + 60)
    }

    @Test func tenantsAreSeparate() async throws {
        let store = MemoryStore.still
        let (chat, clans) = (try SessionFixture(.chat, store), try SessionFixture(.clans, store))
        let tokens = try await chat.signIn()
        #expect(try await refusal { try await clans.sessions.refresh(tokens.refresh, at: start) } == .unknownSession)
        let renewal = try await refusal {
            try await clans.sessions.renew(sessionID: tokens.sessionID, subject: "alice", at: start)
        }
        #expect(renewal == .unknownSession)
        try await clans.sessions.end(sessionID: tokens.sessionID, at: start)
        #expect(try await clans.sessions.session(tokens.sessionID, at: start) == nil)
        #expect(try await chat.sessions.refresh(tokens.refresh, at: start).sessionID == tokens.sessionID)
    }

    @Test func forgedTokenForKnownSessionEndsNothing() async throws {
        let service = try SessionFixture()
        let tokens = try await service.signIn()
        var random = SplitMix64(seed: 3)
        let genuine = try #require(Base64URL.decode(tokens.refresh))
        for _ in 0..<200 {
            let forged = Base64URL.encode(Array(genuine.prefix(16)) + random.bytes(48))
            #expect(try await refusal { try await service.sessions.refresh(forged, at: start) } == .unknownSession)
        }
        #expect(try await service.sessions.refresh(tokens.refresh, at: start).sessionID == tokens.sessionID)
    }

    @Test func malformedRefreshTokenIsRefused() async throws {
        let service = try SessionFixture()
        let tokens = try await service.signIn()
        var random = SplitMix64(seed: 4)
        for text in ["", " ", "null", tokens.accessToken, tokens.sessionID, try tokens.refresh + "="] {
            #expect(try await refusal { try await service.sessions.refresh(text, at: start) } == .malformed)
        }
        for _ in 0..<500 {
            var text = Array(try tokens.refresh.utf8)
            let index = Int.random(in: 0..<text.count, using: &random)
            text[index] = UInt8.random(in: 0...255, using: &random)
            let changed = String(decoding: text, as: UTF8.self)
            if changed == (try tokens.refresh) { continue }
            let refused = try await refusal { try await service.sessions.refresh(changed, at: start) }
            #expect(refused == .malformed || refused == .unknownSession)
        }
        #expect(try await service.sessions.refresh(tokens.refresh, at: start).sessionID == tokens.sessionID)
    }

    @Test func tokenResponseHasStandardMembers() async throws {
        let service = try SessionFixture()
        let tokens = try await service.signIn()
        #expect(
            tokens.response.members.map(\.name) == [
                "access_token", "token_type", "expires_in", "refresh_token", "id_token", "scope",
            ]
        )
        #expect(tokens.response["id_token"]?.string == tokens.idToken && tokens.idToken != nil)
        #expect(tokens.response["scope"] == "openid email profile")
        #expect(tokens.response["refresh_token"]?.string == tokens.refreshToken)
        #expect(tokens.response["expires_in"] == 1800)
        let renewed = try await service.sessions.renew(sessionID: tokens.sessionID, subject: "alice", at: start)
        #expect(renewed.response["refresh_token"] == nil)
        #expect(renewed.response["access_token"]?.string == renewed.accessToken)
    }

    @Test func descriptionShowsNoTokens() async throws {
        let tokens = try await SessionFixture().signIn()
        var dumped = ""
        dump([tokens], to: &dumped)
        for text in ["\(tokens)", String(reflecting: tokens), "\([tokens])", dumped] {
            #expect(try !text.contains(tokens.accessToken) && !text.contains(tokens.refresh))
        }
    }

    @Test func missingKeyIssuesAndStoresNothing() async throws {
        let store = WatchedStore()
        let service = try SessionFixture(.chat, store)
        let tokens = try await service.signIn()
        let missing = SigningProblem.noKey(directory: "/keys", .es256)
        let keyless = try SessionFixture(.chat, store, problem: missing)
        store.fail([.set, .replace])
        let problem = IssuingError.cannotSign(missing)
        await #expect(throws: problem) { try await keyless.signIn() }
        await #expect(throws: problem) { try await keyless.sessions.refresh(tokens.refresh, at: start) }
        await #expect(throws: problem) {
            try await keyless.sessions.renew(sessionID: tokens.sessionID, subject: "alice", at: start)
        }
    }
}
