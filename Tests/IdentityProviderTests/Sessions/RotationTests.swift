import Store
import TestSupport
import Testing
import Time

@testable import IdentityProvider

/// Concurrent, late and malicious use of refresh tokens.
struct RotationTests {
    private let start = SessionFixture.start

    @Test(arguments: StoreKind.allCases)
    func concurrentRefreshesOnThreeInstancesGetOneSuccessor(_ kind: StoreKind) async throws {
        try await kind.run { stores in
            var services: [SessionFixture] = []
            for _ in 0..<3 { services.append(try SessionFixture(.chat, try await stores.store())) }
            let first = try await services[0].signIn()
            let used = try first.refresh
            let successors = try await withThrowingTaskGroup { group in
                for turn in 0..<60 {
                    let sessions = services[turn % 3].sessions
                    let now = start + Double(turn) / 10
                    group.addTask { try await sessions.refresh(used, at: now) }
                }
                return try await group.reduce(into: Set<String>()) { $0.insert(try $1.refresh) }
            }
            #expect(successors.count == 1)
            let successor = try #require(successors.first)
            #expect(successor != used)
            let next = try await services[1].sessions.refresh(successor, at: start + 10)
            #expect(next.sessionID == first.sessionID)
            #expect(try !successors.contains(next.refresh))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func reuseAfterWindowEndsFamily(_ kind: StoreKind) async throws {
        try await kind.run { stores in
            let (one, other) = (
                try SessionFixture(.chat, try await stores.store()), try SessionFixture(.chat, try await stores.store())
            )
            let first = try await one.signIn()
            let bystander = try await one.signIn()
            let second = try await one.sessions.refresh(first.refresh, at: start + 100)
            #expect(try await other.sessions.refresh(first.refresh, at: start + 129.5).refresh == second.refresh)
            #expect(try await refusal { try await other.sessions.refresh(first.refresh, at: start + 130) } == .reused)
            for token in [try first.refresh, try second.refresh] {
                #expect(try await refusal { try await one.sessions.refresh(token, at: start + 131) } == .unknownSession)
            }
            let renewal = try await refusal {
                try await one.sessions.renew(sessionID: first.sessionID, subject: "alice", at: start + 131)
            }
            #expect(renewal == .unknownSession)
            let revoked = try await stores.store().revocations(tenant: "chat", cursor: nil, limit: 10).records
            #expect(
                revoked.map(\.note) == [
                    RevocationNote(kind: "session", id: first.sessionID, reason: "refresh token used again")
                ]
            )
            _ = try await other.sessions.refresh(bystander.refresh, at: start + 131)
        }
    }

    @Test func reuseIsLoggedWithoutToken() async throws {
        let log = RecordedLog()
        let sessions = try SessionFixture(logger: log.logger).sessions
        let first = try await sessions.start(SessionOpening(subject: "alice"), at: start)
        _ = try await sessions.refresh(first.refresh, at: start)
        _ = try? await sessions.refresh(first.refresh, at: start + 31)
        #expect(
            log.lines == [
                "warning a refresh token was used again: its session is ended session=\(first.sessionID) tenant=chat"
            ]
        )
    }

    @Test func veryOldTokenEndsFamily() async throws {
        let service = try SessionFixture()
        let first = try await service.signIn()
        var last = first
        for minute in 1...40 {
            last = try await service.sessions.refresh(last.refresh, at: start + Double(minute) * 60)
        }
        #expect(try await refusal { try await service.sessions.refresh(first.refresh, at: start + 2401) } == .reused)
        #expect(
            try await refusal { try await service.sessions.refresh(last.refresh, at: start + 2402) } == .unknownSession
        )
    }

    @Test func clientBehindByTwoGetsMissedSuccessor() async throws {
        let service = try SessionFixture()
        let first = try await service.signIn()
        let second = try await service.sessions.refresh(first.refresh, at: start + 1)
        let third = try await service.sessions.refresh(second.refresh, at: start + 2)
        #expect(try await service.sessions.refresh(first.refresh, at: start + 3).refresh == second.refresh)
        #expect(try await service.sessions.refresh(second.refresh, at: start + 4).refresh == third.refresh)
        #expect(try await service.sessions.session(first.sessionID, at: start + 4) != nil)
    }

    @Test(arguments: StoreKind.allCases)
    func concurrentRenewalsAndRefreshesAllSucceed(_ kind: StoreKind) async throws {
        try await kind.run { stores in
            let (one, other) = (
                try SessionFixture(.chat, try await stores.store()), try SessionFixture(.chat, try await stores.store())
            )
            let first = try await one.signIn()
            let session = first.sessionID
            var last = first
            for round in 1...5 {
                let now = start + Double(round) * 40
                let token = try last.refresh
                async let renewals = withThrowingTaskGroup { group in
                    for _ in 0..<8 {
                        group.addTask { try await other.sessions.renew(sessionID: session, subject: "alice", at: now) }
                    }
                    return try await group.reduce(into: 0) { count, _ in count += 1 }
                }
                last = try await one.sessions.refresh(token, at: now)
                #expect(try await renewals == 8)
            }
            #expect(try await one.sessions.session(session, at: start + 200)?.lastUsedAt == start + 200)
            #expect(try await refusal { try await one.sessions.refresh(first.refresh, at: start + 201) } == .reused)
        }
    }

    @Test(arguments: [WatchedStore.Call.value, .replace], [true, false])
    func concurrentEndWins(before call: WatchedStore.Call, ofARefresh isRefresh: Bool) async throws {
        let store = WatchedStore()
        let service = try SessionFixture(.chat, store)
        let elsewhere = try SessionFixture(.chat, store.memory)
        let tokens = try await service.signIn()
        store.onCall { (made) async throws(StoreError) in
            guard made == call else { return }
            try? await elsewhere.sessions.end(sessionID: tokens.sessionID, at: start + 1)
        }
        let refused = try await refusal {
            if isRefresh { return try await service.sessions.refresh(tokens.refresh, at: start + 1) }
            return try await service.sessions.renew(sessionID: tokens.sessionID, subject: "alice", at: start + 1)
        }
        #expect(refused == .unknownSession)
        store.onCall(nil)
        #expect(try await service.sessions.session(tokens.sessionID, at: start + 2) == nil)
        #expect(
            try await refusal { try await service.sessions.refresh(tokens.refresh, at: start + 2) } == .unknownSession
        )
    }

    @Test func constantlyChangingSessionIsUnavailable() async throws {
        let store = WatchedStore()
        let service = try SessionFixture(.chat, store)
        let elsewhere = try SessionFixture(.chat, store.memory)
        let tokens = try await service.signIn()
        let calls = Tally()
        store.onCall { (made) async throws(StoreError) in
            guard made == .replace else { return }
            let now = start + Double(calls.next()) / 8
            _ = try? await elsewhere.sessions.renew(sessionID: tokens.sessionID, subject: "alice", at: now)
        }
        let error = await #expect(throws: IssuingError.self) {
            try await service.sessions.refresh(tokens.refresh, at: start)
        }
        guard case .unavailable = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        store.onCall(nil)
        #expect(try await service.sessions.refresh(tokens.refresh, at: start).sessionID == tokens.sessionID)
    }
}
