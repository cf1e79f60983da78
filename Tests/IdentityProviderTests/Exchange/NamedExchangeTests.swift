import Store
import Testing
import Time
import Verification

@testable import IdentityProvider
@testable import Tenants

/// ID tokens of named providers, which work once as Apple's do.
struct NamedExchangeTests {
    private static let start = ExchangeFixture.start
    private static let path = "/auth/company"
    private static let body: JSONObject = ["id_token": "company-token", "nonce": "n-1"]

    private static func fixture(_ then: SignIn.Exchange, _ store: any Store = MemoryStore.still) throws
        -> ExchangeFixture
    {
        var signIn = SignIn.signIn(then)
        var provider = try NamedProvider.openID()
        provider.exchange = NamedProvider.Exchange(path: try PathPattern(path), clientIDs: ["company-ios"], then: then)
        signIn.named = [provider]
        let fixture = try ExchangeFixture(signIn, store: store)
        fixture.checks.issueNamed("company-token", until: start + 3600)
        return fixture
    }

    private static func post(
        _ fixture: ExchangeFixture,
        _ body: JSONObject = body,
        after seconds: Double = 0
    ) async -> EndpointResult {
        await fixture.post(.namedExchange, body, path: path, at: start + seconds)
    }

    @Test func retryWithinOneMinuteGetsSameResponse() async throws {
        let fixture = try Self.fixture(.issue)
        let first = await Self.post(fixture)
        #expect(try first.object.text("access_token").isEmpty == false)
        for seconds in [1, 59] as [Double] { #expect(await Self.post(fixture, after: seconds) == first) }
        let sessions = try await fixture.sessions.sessions(ofSubject: "account-of-n-1", at: Self.start + 60)
        #expect(sessions.count == 1)
    }

    /// The nonce can be read in the token: it tells the app from nobody who has found the token.
    @Test func usedTokenIsRefusedWithItsNonceToo() async throws {
        let fixture = try Self.fixture(.issue)
        _ = try await Self.post(fixture).object
        #expect(await Self.post(fixture, after: 61).refusal?.code == .invalidToken)
        let other: JSONObject = ["id_token": "company-token", "nonce": "n-2"]
        #expect(await Self.post(fixture, other).refusal?.code == .invalidToken)
        #expect(await Self.post(fixture, ["id_token": "company-token"]).refusal?.code == .invalidToken)
    }

    @Test func otherInstanceKnowsThatTokenWasUsed() async throws {
        let store = MemoryStore.still
        _ = try await Self.post(try Self.fixture(.issue, store)).object
        #expect(await Self.post(try Self.fixture(.issue, store), after: 61).refusal?.code == .invalidToken)
    }

    @Test func usedTokenIsForwardedForOneMinute() async throws {
        let fixture = try Self.fixture(.forward)
        let first = await Self.post(fixture)
        guard case .forward(let signIn) = first else {
            Issue.record("not sent on")
            return
        }
        #expect(signIn.identity?.provider == .named("company"))
        #expect(await Self.post(fixture, after: 59) == first)
        #expect(await Self.post(fixture, after: 61).refusal?.code == .invalidToken)
    }

    @Test func unrecordedExchangeIsNotForwarded() async throws {
        let store = WatchedStore()
        let fixture = try Self.fixture(.forward, store)
        store.fail([.replace])
        #expect(await Self.post(fixture) == .refused(.storeUnavailable))
        store.onCall(nil)
        #expect(await Self.post(fixture).refusal == nil)
    }
}
