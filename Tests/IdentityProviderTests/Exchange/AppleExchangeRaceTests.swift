import Store
import TestSupport
import Testing
import Time
import Verification

@testable import IdentityProvider

/// Concurrent and interrupted exchanges of one identity token.
struct AppleExchangeRaceTests {
    private static let start = ExchangeFixture.start
    private static let body: JSONObject = ["identity_token": "apple-token", "nonce": "n-1"]

    @Test(arguments: StoreKind.allCases)
    func concurrentExchangesOnThreeInstancesCreateOneSession(_ kind: StoreKind) async throws {
        try await kind.run { stores in
            let accounts = FakeAccounts()
            var fixtures: [ExchangeFixture] = []
            for _ in 0..<3 { fixtures.append(try ExchangeFixture(store: try await stores.store(), accounts: accounts)) }
            for fixture in fixtures { fixture.checks.issueApple("apple-token") }
            // All have found no record before one is written.
            accounts.gather(20)
            let answers = try await Self.exchange(20, fixtures)
            #expect(answers.count == 20)
            #expect(answers.allSatisfy { $0 == answers[0] })
            let sessions = try await fixtures[0].sessions.sessions(
                ofSubject: "account-of-001.apple",
                at: Self.start + 1
            )
            let object = try #require(JSONParser.parse(answers[0].body).object)
            let refreshed = try await fixtures[1].sessions.refresh(object.text("refresh_token"), at: Self.start + 1)
            #expect(sessions.map(\.id) == [refreshed.sessionID])
        }
    }

    /// Concurrent exchanges, with slightly different clocks.
    private static func exchange(_ count: Int, _ fixtures: [ExchangeFixture]) async throws -> [EndpointResponse] {
        try await withThrowingTaskGroup(of: EndpointResponse.self) { group in
            for index in 0..<count {
                let fixture = fixtures[index % fixtures.count]
                group.addTask { try await fixture.post(.appleExchange, body, at: start + Double(index) / 100).response }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    /// The store fails at any write: the app gets an error, and its retries get one valid response.
    @Test func retryCompletesExchangeThatFailedAtAnyWrite() async throws {
        var writes = 0
        while true {
            let store = WatchedStore()
            let fixture = try ExchangeFixture(store: store)
            fixture.checks.issueApple("apple-token")
            let made = Tally()
            let failing = writes + 1
            store.onCall { (call) async throws(StoreError) in
                if made.next() == failing { throw .unavailable("gone") }
            }
            let first = await fixture.post(.appleExchange, Self.body)
            store.onCall(nil)
            guard let refusal = first.refusal else { break }
            writes += 1
            #expect(refusal == .storeUnavailable)
            let second = await fixture.post(.appleExchange, Self.body, at: Self.start + 2)
            let refreshToken = try second.object.text("refresh_token")
            #expect(await fixture.post(.appleExchange, Self.body, at: Self.start + 4) == second)
            _ = try await fixture.sessions.refresh(refreshToken, at: Self.start + 5)
        }
        // Reading the record, the session, the response.
        #expect(writes >= 3)
    }

    @Test func storeFailureIsReportedAndCounted() async throws {
        let store = WatchedStore()
        let fixture = try ExchangeFixture(store: store)
        fixture.checks.issueApple("apple-token")
        store.fail(WatchedStore.Call.allCases)
        let answer = await fixture.post(.appleExchange, Self.body)
        #expect(answer == .refused(.storeUnavailable))
        #expect(fixture.counts.snapshot().signIns.map(\.key.outcome) == [.unavailable])
    }

    @Test func garbledRecordIsRefused() async throws {
        let fixture = try ExchangeFixture()
        fixture.checks.issueApple("apple-token")
        let key = StoreKey(tenant: "chat", kind: "apple-exchange", hashing: SHA256.digest(Array("apple-token".utf8)))
        try await fixture.store.set(Array("nonsense".utf8), for: key, lifetime: nil)
        #expect(await fixture.post(.appleExchange, Self.body).refusal?.status == 503)
        #expect(fixture.accounts.all.isEmpty)
    }
}
