import Store
import Testing
import Time

@testable import IdentityProvider

/// What was acknowledged is kept; what failed changes nothing.
struct StoreFailureTests {
    private let start = SessionFixture.start

    @Test(arguments: [WatchedStore.Call.value, .replace])
    func failedRefreshChangesNothing(_ call: WatchedStore.Call) async throws {
        let store = WatchedStore()
        let service = try SessionFixture(.chat, store)
        let tokens = try await service.signIn()
        let before = try await service.sessions.session(tokens.sessionID, at: start)
        store.fail([call])
        let gone = IssuingError.unavailable(.unavailable("gone"))
        await #expect(throws: gone) { try await service.sessions.refresh(tokens.refresh, at: start + 1) }
        await #expect(throws: gone) {
            try await service.sessions.renew(sessionID: tokens.sessionID, subject: "alice", at: start + 1)
        }
        store.onCall(nil)
        #expect(try await service.sessions.session(tokens.sessionID, at: start) == before)
        #expect(try await service.sessions.refresh(tokens.refresh, at: start + 100).sessionID == tokens.sessionID)
    }

    @Test func unstoredSignInGivesNoTokens() async throws {
        let store = WatchedStore()
        let service = try SessionFixture(.chat, store)
        store.fail([.set])
        await #expect(throws: IssuingError.unavailable(.unavailable("gone"))) { try await service.signIn() }
    }

    @Test(arguments: [WatchedStore.Call.remove, .revoke])
    func failedEndCanBeRetried(_ call: WatchedStore.Call) async throws {
        let store = WatchedStore()
        let service = try SessionFixture(.chat, store)
        let tokens = try await service.signIn()
        store.fail([call])
        await #expect(throws: IssuingError.unavailable(.unavailable("gone"))) {
            try await service.sessions.end(sessionID: tokens.sessionID, at: start)
        }
        store.onCall(nil)
        try await service.sessions.end(sessionID: tokens.sessionID, at: start)
        #expect(try await service.sessions.session(tokens.sessionID, at: start) == nil)
        #expect(try await store.revocations(tenant: "chat", cursor: nil, limit: 10).records.count == 1)
    }

    @Test func reuseIsReportedOnceSessionHasEnded() async throws {
        let store = WatchedStore()
        let service = try SessionFixture(.chat, store)
        let first = try await service.signIn()
        let second = try await service.sessions.refresh(first.refresh, at: start + 1)
        store.fail([.remove])
        await #expect(throws: IssuingError.unavailable(.unavailable("gone"))) {
            try await service.sessions.refresh(first.refresh, at: start + 60)
        }
        store.onCall(nil)
        #expect(try await refusal { try await service.sessions.refresh(first.refresh, at: start + 61) } == .reused)
        #expect(
            try await refusal { try await service.sessions.refresh(second.refresh, at: start + 62) } == .unknownSession
        )
    }

    /// The write succeeded, but its response was lost.
    @Test func rotationWithLostResponseIsFoundByRetry() async throws {
        let store = WatchedStore()
        let service = try SessionFixture(.chat, store)
        let tokens = try await service.signIn()
        let elsewhere = try SessionFixture(.chat, store.memory)
        store.onCall { (call) async throws(StoreError) in
            guard call == .replace else { return }
            _ = try? await elsewhere.sessions.refresh(tokens.refresh, at: start + 1)
            throw .unavailable("no answer")
        }
        await #expect(throws: IssuingError.unavailable(.unavailable("no answer"))) {
            try await service.sessions.refresh(tokens.refresh, at: start + 1)
        }
        store.onCall(nil)
        let second = try await service.sessions.refresh(tokens.refresh, at: start + 2)
        #expect(try await service.sessions.refresh(second.refresh, at: start + 3).sessionID == tokens.sessionID)
    }

    @Test func garbledRecordIsUnavailable() async throws {
        let store = MemoryStore.still
        let service = try SessionFixture(.chat, store)
        let (tokens, other) = (try await service.signIn(), try await service.signIn())
        let key = StoreKey(tenant: "chat", kind: "session", name: tokens.sessionID)
        let otherKey = StoreKey(tenant: "chat", kind: "session", name: other.sessionID)
        let otherRecord = try #require(try await store.value(for: otherKey))
        let garbled = IssuingError.unavailable(.garbled("\(key) is no session"))
        for record in [Array("{}".utf8), [], otherRecord] {
            try await store.set(record, for: key, lifetime: nil)
            await #expect(throws: garbled) { try await service.sessions.refresh(tokens.refresh, at: start) }
        }
    }

    @Test(arguments: [StoreKind.embedded, .redis])
    func sessionsSurviveRestart(_ kind: StoreKind) async throws {
        try await kind.run { stores in
            let store = try await stores.store()
            let before = try SessionFixture(.chat, store)
            let first = try await before.signIn()
            let second = try await before.sessions.refresh(first.refresh, at: start + 10)
            let ended = try await before.signIn()
            try await before.sessions.end(sessionID: ended.sessionID, at: start + 10)
            await store.close()

            let after = try SessionFixture(.chat, try await stores.store())
            #expect(try await after.sessions.refresh(first.refresh, at: start + 20).refresh == second.refresh)
            let third = try await after.sessions.refresh(second.refresh, at: start + 30)
            #expect(third.sessionID == first.sessionID)
            #expect(
                try await refusal { try await after.sessions.refresh(ended.refresh, at: start + 30) } == .unknownSession
            )
        }
    }
}
