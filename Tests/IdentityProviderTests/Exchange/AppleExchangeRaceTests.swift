import Store
import TestSupport
import Testing
import Time
import Verification

@testable import IdentityProvider

/// Exchanges of one identity token that get in each other's way, or stop half-way.
@Suite struct AppleExchangeRaceTests {
    private static let start = ExchangeFixture.start
    private static let body: JSONObject = ["identity_token": "apple-token", "nonce": "n-1"]

    @Test(arguments: StoreKind.allCases)
    func exchangesAtOnceOnThreeInstancesMakeOneSession(_ kind: StoreKind) async throws {
        try await kind.run { place in
            let accounts = PretendAccounts()
            var stages: [ExchangeFixture] = []
            for _ in 0..<3 { stages.append(try ExchangeFixture(store: try await place.store(), accounts: accounts)) }
            for stage in stages { stage.checks.issueApple("apple-token") }
            // Every one of them has seen that there was none before it.
            accounts.gather(20)
            let answers = try await Self.exchange(20, stages)
            #expect(answers.count == 20)
            #expect(answers.allSatisfy { $0 == answers[0] })
            let sessions = try await stages[0].book.sessions(ofSubject: "account-of-001.apple", at: Self.start + 1)
            let object = try #require(JSONParser.parse(answers[0].body).object)
            let refreshed = try await stages[1].book.refresh(object.text("refresh_token"), at: Self.start + 1)
            #expect(sessions.map(\.id) == [refreshed.sessionID])
        }
    }

    /// So many at once, by clocks that differ a little.
    private static func exchange(_ count: Int, _ stages: [ExchangeFixture]) async throws -> [EndpointResponse] {
        try await withThrowingTaskGroup(of: EndpointResponse.self) { group in
            for index in 0..<count {
                let stage = stages[index % stages.count]
                group.addTask { try await stage.post(.appleExchange, body, at: start + Double(index) / 100).response }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    /// Wherever the store goes away in an exchange, the app learns that nothing was done, and its retry gets one good
    /// answer, which further ones get too.
    @Test func anExchangeThatStopsAnywhereIsMadeGoodByTheRetry() async throws {
        var writes = 0
        while true {
            let store = WatchedStore()
            let stage = try ExchangeFixture(store: store)
            stage.checks.issueApple("apple-token")
            let made = Tally()
            let failing = writes + 1
            store.onCall { (call) async throws(StoreError) in
                if made.next() == failing { throw .unavailable("gone") }
            }
            let first = await stage.post(.appleExchange, Self.body)
            store.onCall(nil)
            guard let refusal = first.refusal else { break }
            writes += 1
            #expect(refusal == .storeUnavailable)
            let second = await stage.post(.appleExchange, Self.body, at: Self.start + 2)
            let refreshToken = try second.object.text("refresh_token")
            #expect(await stage.post(.appleExchange, Self.body, at: Self.start + 4) == second)
            _ = try await stage.book.refresh(refreshToken, at: Self.start + 5)
        }
        // The look at what was before, the session, the answer.
        #expect(writes >= 3)
    }

    @Test func aStoreThatIsDownIsToldAsSuch() async throws {
        let store = WatchedStore()
        let stage = try ExchangeFixture(store: store)
        stage.checks.issueApple("apple-token")
        store.fail(WatchedStore.Call.allCases)
        let answer = await stage.post(.appleExchange, Self.body)
        #expect(answer == .refused(.storeUnavailable))
        #expect(stage.counts.snapshot().signIns.map(\.key.outcome) == [.unavailable])
    }

    @Test func aRecordThatCannotBeReadIsNoLicence() async throws {
        let stage = try ExchangeFixture()
        stage.checks.issueApple("apple-token")
        let key = StoreKey(tenant: "chat", kind: "apple-exchange", hashing: SHA256.digest(Array("apple-token".utf8)))
        try await stage.store.set(Array("nonsense".utf8), for: key, lifetime: nil)
        #expect(await stage.post(.appleExchange, Self.body).refusal?.status == 503)
        #expect(stage.accounts.all.isEmpty)
    }
}
