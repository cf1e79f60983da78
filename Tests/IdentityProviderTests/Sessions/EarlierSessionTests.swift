import Store
import Testing
import Time
import Verification

@testable import IdentityProvider

/// Sessions of an earlier version: without scopes of their own, and unlisted.
struct EarlierSessionTests {
    private let start = SessionFixture.start

    /// Replaces a session's record by one of that version.
    private func takeBack(_ tokens: IssuedTokens, scope: String?, in store: MemoryStore) async throws {
        let key = StoreKey(tenant: "chat", kind: "session", name: tokens.sessionID)
        let record = try #require(try await store.value(for: key))
        var object = try #require(JSONParser.parse(record).object)
        object["v"] = 1
        object["scopes"] = nil
        object["provider"] = nil
        var claims = try #require(object["claims"]?.object)
        if let scope { claims["scope"] = .string(scope) }
        object["claims"] = .object(claims)
        try await store.set(JSONWriter.bytes(of: object), for: key, lifetime: .seconds(365 * 86_400))
        try await store.remove(StoreKey(tenant: "chat", kind: "sessions", hashing: "alice".utf8))
    }

    @Test func earlierSessionKeepsItsScopes() async throws {
        let store = MemoryStore.still
        let service = try SessionFixture(.chat, store)
        let tokens = try await service.signIn()
        try await takeBack(tokens, scope: "openid email", in: store)
        let session = try #require(try await service.sessions.session(tokens.sessionID, at: start))
        #expect(session.scopes == ["openid", "email"] && session.claims == ["email": "alice@example.org"])
        #expect(session.provider == nil)
        let next = try await service.sessions.refresh(tokens.refresh, at: start + 1)
        #expect(next.response["scope"] == "openid email" && next.idToken != nil)
        #expect(try await service.sessions.refresh(tokens.refresh, at: start + 2).refresh == next.refresh)
        #expect(try await refusal { try await service.sessions.refresh(tokens.refresh, at: start + 60) } == .reused)
    }

    @Test func earlierSessionWithoutScopesGetsNoIDToken() async throws {
        let store = MemoryStore.still
        let service = try SessionFixture(.chat, store)
        let tokens = try await service.signIn()
        try await takeBack(tokens, scope: nil, in: store)
        let next = try await service.sessions.refresh(tokens.refresh, at: start + 1)
        #expect(next.idToken == nil && next.scopes == [])
        #expect(try service.verify(next, at: start + 1).claims["email"] == "alice@example.org")
    }

    @Test(arguments: [true, false])
    func firstUseListsEarlierSession(isRefresh: Bool) async throws {
        let store = MemoryStore.still
        let service = try SessionFixture(.chat, store)
        let tokens = try await service.signIn()
        try await takeBack(tokens, scope: nil, in: store)
        #expect(try await service.sessions.sessions(ofSubject: "alice", at: start).isEmpty)
        if isRefresh {
            _ = try await service.sessions.refresh(tokens.refresh, at: start + 1)
        } else {
            _ = try await service.sessions.renew(sessionID: tokens.sessionID, subject: "alice", at: start + 1)
        }
        #expect(try await service.sessions.sessions(ofSubject: "alice", at: start + 1).map(\.id) == [tokens.sessionID])
    }
}
