import Store
import Synchronization
import Testing
import Time
import Verification

@testable import IdentityProvider

/// Listing a subject's sessions.
struct SessionListTests {
    private let start = SessionFixture.start
    private let key = StoreKey(tenant: "chat", kind: "sessions", hashing: "alice".utf8)

    private func ids(_ service: SessionFixture, at now: UnixTime = SessionFixture.start) async throws -> [String] {
        try await service.sessions.sessions(ofSubject: "alice", at: now).map(\.id)
    }

    @Test func latestSignInIsFirstWithDetails() async throws {
        let service = try SessionFixture()
        let first = try await service.signIn()
        let opening = SessionOpening(
            subject: "alice",
            scopes: ["openid"],
            clientID: "app",
            device: "iPhone",
            provider: "apple"
        )
        let second = try await service.sessions.start(opening, at: start + 60)
        _ = try await service.signIn("bob")
        _ = try await service.sessions.refresh(second.refresh, client: .client("app"), at: start + 120)
        let sessions = try await service.sessions.sessions(ofSubject: "alice", at: start + 121)
        #expect(sessions.map(\.id) == [second.sessionID, first.sessionID])
        let session = try #require(sessions.first)
        #expect(session.clientID == "app" && session.device == "iPhone" && session.provider == "apple")
        #expect(session.createdAt == start + 60 && session.lastUsedAt == start + 120 && session.scopes == ["openid"])
        #expect(try await service.sessions.sessions(ofSubject: "nobody", at: start).isEmpty)
        #expect(try await SessionFixture(.clans).sessions.sessions(ofSubject: "alice", at: start).isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func concurrentSignInsAreAllListed(_ kind: StoreKind) async throws {
        try await kind.run { stores in
            var services: [SessionFixture] = []
            for _ in 0..<3 { services.append(try SessionFixture(.chat, try await stores.store())) }
            let begun = try await withThrowingTaskGroup(of: String.self) { group in
                for turn in 0..<24 {
                    let service = services[turn % 3]
                    group.addTask { try await service.signIn(at: start + Double(turn)).sessionID }
                }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(begun.count == 24)
            #expect(try await Set(ids(services[0], at: start + 60)) == begun)
        }
    }

    @Test func concurrentSignInsAndEndsLeaveLiveSessions() async throws {
        let store = MemoryStore.still
        let service = try SessionFixture(.chat, store)
        var old: [String] = []
        for _ in 0..<30 { old.append(try await service.signIn().sessionID) }
        let begun = try await withThrowingTaskGroup(of: String?.self) { group in
            for id in old {
                group.addTask { try await service.signIn().sessionID }
                group.addTask {
                    try await service.sessions.end(sessionID: id, at: start)
                    return nil
                }
            }
            return try await group.reduce(into: Set<String>()) { if let id = $1 { $0.insert(id) } }
        }
        #expect(begun.count == 30)
        #expect(try await Set(ids(service)) == begun)
        let list = try await storedList(key, in: store)
        #expect(Set(list.entries.map(\.id)) == begun)
    }

    @Test func useDoesNotWriteList() async throws {
        let store = MemoryStore.still
        let service = try SessionFixture(.chat, store)
        let tokens = try await service.signIn()
        let before = try await store.value(for: key)
        let other = Array("{}".utf8)
        try await store.set(other, for: key, lifetime: nil)
        _ = try await service.sessions.refresh(tokens.refresh, at: start + 1)
        _ = try await service.sessions.renew(sessionID: tokens.sessionID, subject: "alice", at: start + 2)
        #expect(try await store.value(for: key) == other)
        #expect(before != nil)
    }

    @Test func expiredSessionIsDroppedWhenListed() async throws {
        let store = MemoryStore.still
        let service = try SessionFixture(.clans, store)
        let clansKey = StoreKey(tenant: "clans", kind: "sessions", hashing: "alice".utf8)
        _ = try await service.signIn()
        let second = try await service.signIn(at: start + 80_000)
        #expect(try await ids(service, at: start + 90_000) == [second.sessionID])
        let list = try await storedList(clansKey, in: store)
        #expect(list.entries.map(\.id) == [second.sessionID])
        // Sessions older than three days are dropped without a read.
        let third = try await service.signIn(at: start + 80_000 + 4 * 86_400)
        let next = try await storedList(clansKey, in: store)
        #expect(next.entries.map(\.id) == [third.sessionID])
    }

    @Test func listLivesAsLongAsLongestSession() async throws {
        let clock = Mutex(start)
        let store = MemoryStore(clock: { clock.withLock { $0 } })
        let service = try SessionFixture(.chat, store)
        _ = try await service.signIn()
        let bob = try await service.signIn("bob")
        let bobsKey = StoreKey(tenant: "chat", kind: "sessions", hashing: "bob".utf8)
        #expect(try await storedList(bobsKey, in: store).entries.map(\.id) == [bob.sessionID])
        // An empty one is not kept.
        try await service.sessions.end(sessionID: bob.sessionID, at: start)
        clock.withLock { $0 = start + 31 }
        #expect(try await store.value(for: bobsKey) == nil)
        clock.withLock { $0 = start + 365 * 86_400 }
        #expect(try await store.value(for: key) != nil)
        clock.withLock { $0 = start + 366 * 86_400 }
        #expect(try await store.value(for: key) == nil)
    }

    @Test func endedSessionsAreEvictedFirst() async throws {
        let service = try SessionFixture()
        let first = try await service.signIn()
        for turn in 1..<SessionList.most { _ = try await service.signIn(at: start + Double(turn)) }
        // The first was used and outlives the others.
        let month = 30 * 86_400.0
        let used = try await service.sessions.refresh(first.refresh, at: start + month - 1)
        let last = try await service.signIn(at: start + month + 1000)
        #expect(try await ids(service, at: start + month + 1000) == [last.sessionID, used.sessionID])
    }

    @Test func tooManyLiveSessionsEndOldest() async throws {
        let store = MemoryStore.still
        let service = try SessionFixture(.chat, store)
        var begun: [IssuedTokens] = []
        for turn in 0...SessionList.most { begun.append(try await service.signIn(at: start + Double(turn))) }
        let kept = try await ids(service, at: start + 300)
        #expect(kept == begun.suffix(SessionList.kept).reversed().map(\.sessionID))
        #expect(
            try await refusal { try await service.sessions.refresh(begun[0].refresh, at: start + 300) }
                == .unknownSession
        )
        let isRevoked = await StoredRevocations(store: store)
            .isRevoked(try service.verify(begun[0], at: start + 300), tenant: "chat")
        #expect(isRevoked)
        _ = try await service.sessions.refresh(try #require(begun.last).refresh, at: start + 300)
    }
}

/// A list as the store keeps it.
func storedList(_ key: StoreKey, in store: MemoryStore) async throws -> SessionList {
    let bytes = try #require(try await store.value(for: key))
    return try #require(SessionList(json: bytes))
}
