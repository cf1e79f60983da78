import Store
import TestSupport
import Testing
import Time
import Verification

@testable import IdentityProvider

/// Failures between the writes of a list and its sessions.
struct SessionListFailureTests {
    private let start = SessionFixture.start
    private let key = StoreKey(tenant: "chat", kind: "sessions", hashing: "alice".utf8)

    /// The store fails from its n-th write on, as if the gateway had crashed.
    private func cut(_ store: WatchedStore, beforeWrite number: Int) {
        let writes = Tally()
        store.onCall { (call) async throws(StoreError) in
            guard call != .value else { return }
            if writes.next() >= number { throw .unavailable("killed") }
        }
    }

    @Test(arguments: 1...3)
    func crashDuringSignInDoesNotBlockLaterOnes(_ number: Int) async throws {
        let store = WatchedStore()
        let killed = try SessionFixture(.chat, store)
        cut(store, beforeWrite: number)
        // A sign-in has two writes.
        if number == 3 {
            _ = try await killed.signIn()
        } else {
            await #expect(throws: IssuingError.unavailable(.unavailable("killed"))) { try await killed.signIn() }
        }
        let after = try SessionFixture(.chat, store.memory)
        let tokens = try await after.signIn(at: start + 1)
        let listed = try await after.sessions.sessions(ofSubject: "alice", at: start + 2).map(\.id)
        #expect(listed.first == tokens.sessionID && listed.count == (number == 3 ? 2 : 1))
        let list = try await storedList(key, in: store.memory)
        #expect(list.entries.count == listed.count)
    }

    /// A reader drops entries without a record, but not those of sessions being created.
    @Test func listingDuringSignInHidesNothing() async throws {
        let store = WatchedStore()
        let service = try SessionFixture(.chat, store)
        let elsewhere = try SessionFixture(.chat, store.memory)
        let looks = Tally()
        store.onCall { (call) async throws(StoreError) in
            _ = looks.next()
            _ = try? await elsewhere.sessions.sessions(ofSubject: "alice", at: start)
        }
        let tokens = try await service.signIn()
        store.onCall(nil)
        #expect(looks.next() > 3)
        #expect(try await service.sessions.sessions(ofSubject: "alice", at: start).map(\.id) == [tokens.sessionID])
    }

    @Test(arguments: 1...4)
    func crashDuringEndHidesNoLiveSession(_ number: Int) async throws {
        let store = WatchedStore()
        let service = try SessionFixture(.chat, store)
        let (tokens, other) = (try await service.signIn(), try await service.signIn(at: start + 1))
        cut(store, beforeWrite: number)
        let isAcknowledged = (try? await service.sessions.end(sessionID: tokens.sessionID, at: start + 2)) != nil
        // The record and the revocation must be written; the list may be behind.
        #expect(isAcknowledged == (number > 2))
        store.onCall(nil)
        let listed = try await service.sessions.sessions(ofSubject: "alice", at: start + 3).map(\.id)
        // What is not listed cannot be used: it is revoked, if its record is still there.
        #expect(listed == (number == 1 ? [other.sessionID, tokens.sessionID] : [other.sessionID]))
        #expect((try await service.sessions.session(tokens.sessionID, at: start + 3) == nil) == (number > 2))
        try await service.sessions.end(sessionID: tokens.sessionID, at: start + 4)
        #expect(try await service.sessions.sessions(ofSubject: "alice", at: start + 5).map(\.id) == [other.sessionID])
        #expect(try await store.revocations(tenant: "chat", cursor: nil, limit: 9).records.count == 1)
    }

    @Test(arguments: 1...6)
    func crashDuringEndAllIsCompletedByRetry(_ number: Int) async throws {
        let store = WatchedStore()
        let service = try SessionFixture(.chat, store)
        let (first, second) = (try await service.signIn(), try await service.signIn())
        cut(store, beforeWrite: number)
        // Two revocations, two records and the list.
        let isAcknowledged =
            (try? await service.sessions.endAll(ofSubject: "alice", before: start + 1, at: start + 2, reason: "x"))
            != nil
        #expect(isAcknowledged == (number > 5))
        store.onCall(nil)
        try await service.sessions.endAll(ofSubject: "alice", before: start + 1, at: start + 3, reason: "x")
        #expect(try await service.sessions.sessions(ofSubject: "alice", at: start + 4).isEmpty)
        for tokens in [first, second] {
            let refused = try await refusal { try await service.sessions.refresh(tokens.refresh, at: start + 4) }
            #expect(refused == .unknownSession)
        }
    }

    @Test func unreadableListDoesNotBlockSignIns() async throws {
        let store = MemoryStore.still
        let log = RecordedLog()
        let service = try SessionFixture(.chat, store, logger: log.logger)
        for garbage in ["", "null", "{}", #"{"v":1,"sessions":[{}]}"#, #"{"v":2,"sessions":[]}"#] {
            try await store.set(Array(garbage.utf8), for: key, lifetime: nil)
            let tokens = try await service.signIn()
            #expect(try await service.sessions.sessions(ofSubject: "alice", at: start).map(\.id) == [tokens.sessionID])
        }
        #expect(
            log.lines
                == Array(
                    repeating: "error a list of sessions cannot be read: a new one replaces it key=\(key)",
                    count: 5
                )
        )
    }

    @Test func unreadableSessionHidesNoOther() async throws {
        let store = MemoryStore.still
        let service = try SessionFixture(.chat, store)
        let (first, second) = (try await service.signIn(), try await service.signIn())
        let recordKey = StoreKey(tenant: "chat", kind: "session", name: first.sessionID)
        let record = try #require(try await store.value(for: recordKey))
        try await store.set([1], for: recordKey, lifetime: nil)
        #expect(try await service.sessions.sessions(ofSubject: "alice", at: start).map(\.id) == [second.sessionID])
        // It may be repaired.
        try await store.set(record, for: recordKey, lifetime: nil)
        #expect(try await service.sessions.sessions(ofSubject: "alice", at: start).count == 2)
        try await store.set([1], for: recordKey, lifetime: nil)
        try await service.sessions.end(sessionID: first.sessionID, at: start)
        #expect(try await store.value(for: recordKey) == nil)
    }
}
