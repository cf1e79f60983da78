import Store
import Testing
import Time
import Verification

@testable import IdentityProvider
@testable import Tenants

/// Apple's identity tokens at a tenant that forwards them.
struct AppleForwardingTests {
    private static let start = ExchangeFixture.start
    private static let body: JSONObject = ["id_token": "apple-token", "nonce": "n-1"]

    private static func fixture(_ signIn: SignIn = .forwarding, _ store: any Store = MemoryStore.still) throws
        -> ExchangeFixture
    {
        let fixture = try ExchangeFixture(signIn, store: store)
        fixture.checks.issueApple("apple-token")
        return fixture
    }

    @Test func validTokenIsForwardedWithIdentity() async throws {
        let fixture = try Self.fixture()
        guard case .forward(let signIn) = await fixture.post(.appleExchange, Self.body) else {
            Issue.record("not sent on")
            return
        }
        #expect(signIn.identity?.subject == "001.apple")
        #expect(signIn.identity?.email == "alice@example.org")
        #expect(!signIn.isObserved)
        #expect(fixture.accounts.all.isEmpty)
    }

    @Test func retryIsForwardedForOneMinute() async throws {
        let fixture = try Self.fixture()
        let first = await fixture.post(.appleExchange, Self.body)
        #expect(first.refusal == nil)
        for seconds in [1, 30, 59] as [Double] {
            #expect(await fixture.post(.appleExchange, Self.body, at: Self.start + seconds) == first)
        }
        #expect(await fixture.post(.appleExchange, Self.body, at: Self.start + 61).refusal?.code == .invalidToken)
    }

    @Test func retryWithAnotherNonceIsRefused() async throws {
        let fixture = try Self.fixture()
        _ = await fixture.post(.appleExchange, Self.body)
        let other = await fixture.post(.appleExchange, ["id_token": "apple-token", "nonce": "n-2"])
        #expect(other.refusal?.code == .invalidToken)
    }

    @Test func unrecordedExchangeIsNotForwarded() async throws {
        let store = WatchedStore()
        let fixture = try Self.fixture(.forwarding, store)
        store.fail([.replace])
        #expect(await fixture.post(.appleExchange, Self.body) == .refused(.storeUnavailable))
        store.onCall(nil)
        #expect(await fixture.post(.appleExchange, Self.body).refusal == nil)
    }

    @Test func roleConflictDoesNotSpendToken() async throws {
        let fixture = try Self.fixture()
        fixture.accounts.fail(.otherRole("driver"))
        #expect(try await fixture.post(.appleExchange, Self.body).response.status == 409)
        fixture.accounts.fail(nil)
        #expect(await fixture.post(.appleExchange, Self.body, at: Self.start + 100).refusal == nil)
    }

    // MARK: Legacy bodies

    @Test func legacyBodyIsDeniedByDefault() async throws {
        let fixture = try Self.fixture()
        let refusal = try #require(await fixture.post(.appleExchange, ["userIdentifier": "001.apple"]).refusal)
        #expect(refusal.code == .missingToken)
        #expect(refusal.status == 401)
        #expect(refusal.detail.contains("identity_token"))
        #expect(fixture.counts.snapshot().legacy == [.init(tenant: "chat", decision: .deny): 1])
    }

    @Test(arguments: [AppleSignIn.LegacyBody.observe, .allow])
    func allowedLegacyBodyIsCountedAndLogged(_ legacy: AppleSignIn.LegacyBody) async throws {
        let fixture = try Self.fixture(.signIn(.forward, legacy: legacy))
        let expected = EndpointResult.forward(ForwardedSignIn(identity: nil, isObserved: legacy == .observe))
        #expect(await fixture.post(.appleExchange, ["userIdentifier": "001.apple"]) == expected)
        #expect(await fixture.post(.appleExchange, ["userIdentifier": "001.apple", "id_token": nil]) == expected)
        #expect(fixture.counts.snapshot().legacy == [.init(tenant: "chat", decision: legacy): 2])
        #expect(fixture.log.lines.count == 2)
        #expect(fixture.log.lines.allSatisfy { $0.hasPrefix("warning ") && !$0.contains("001.apple") })
        #expect(fixture.log.lines.last?.contains("uses=2") == true)
    }

    @Test func bodyWithInvalidTokenIsNotLegacy() async throws {
        let fixture = try Self.fixture(.signIn(.forward, legacy: .allow))
        let answer = await fixture.post(.appleExchange, ["userIdentifier": "001.apple", "identity_token": "made up"])
        #expect(answer.refusal?.code == .invalidToken)
        #expect(await fixture.post(.appleExchange, [:]).refusal?.code == .missingToken)
        #expect(fixture.counts.snapshot().legacy.isEmpty)
    }

    @Test func legacyBodyNeverGetsSession() async throws {
        let fixture = try Self.fixture(.signIn(.issue, legacy: .allow))
        #expect(await fixture.post(.appleExchange, ["userIdentifier": "001.apple"]).refusal?.code == .missingToken)
        #expect(fixture.accounts.all.isEmpty)
    }
}
