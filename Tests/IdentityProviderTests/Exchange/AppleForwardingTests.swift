import Store
import Testing
import Time
import Verification

@testable import IdentityProvider
@testable import Tenants

/// Apple's identity tokens at a tenant whose backend makes the sessions.
@Suite struct AppleForwardingTests {
    private static let start = ExchangeFixture.start
    private static let body: JSONObject = ["id_token": "apple-token", "nonce": "n-1"]

    private static func stage(_ signIn: SignIn = .forwarding, _ store: any Store = MemoryStore.still) throws
        -> ExchangeFixture
    {
        let stage = try ExchangeFixture(signIn, store: store)
        stage.checks.issueApple("apple-token")
        return stage
    }

    @Test func aGoodTokenGoesOnWithWhoseItIs() async throws {
        let stage = try Self.stage()
        guard case .forward(let signIn) = await stage.post(.appleExchange, Self.body) else {
            Issue.record("not sent on")
            return
        }
        #expect(signIn.identity?.subject == "001.apple")
        #expect(signIn.identity?.email == "alice@example.org")
        #expect(!signIn.isObserved)
        #expect(stage.accounts.all.isEmpty)
    }

    @Test func eachRetryWithinAMinuteGoesOnAndNoLaterOne() async throws {
        let stage = try Self.stage()
        let first = await stage.post(.appleExchange, Self.body)
        #expect(first.refusal == nil)
        for seconds in [1, 30, 59] as [Double] {
            #expect(await stage.post(.appleExchange, Self.body, at: Self.start + seconds) == first)
        }
        #expect(await stage.post(.appleExchange, Self.body, at: Self.start + 61).refusal?.code == .invalidToken)
    }

    @Test func anotherNonceDoesNotGoOn() async throws {
        let stage = try Self.stage()
        _ = await stage.post(.appleExchange, Self.body)
        let other = await stage.post(.appleExchange, ["id_token": "apple-token", "nonce": "n-2"])
        #expect(other.refusal?.code == .invalidToken)
    }

    @Test func nothingGoesOnThatIsNotOnRecord() async throws {
        let store = WatchedStore()
        let stage = try Self.stage(.forwarding, store)
        store.fail([.replace])
        #expect(await stage.post(.appleExchange, Self.body) == .refused(.storeUnavailable))
        store.onCall(nil)
        #expect(await stage.post(.appleExchange, Self.body).refusal == nil)
    }

    @Test func aRoleConflictIsToldBeforeTheTokenIsSpent() async throws {
        let stage = try Self.stage()
        stage.accounts.fail(.otherRole("This account is registered as a driver"))
        #expect(try await stage.post(.appleExchange, Self.body).response.status == 409)
        stage.accounts.fail(nil)
        #expect(await stage.post(.appleExchange, Self.body, at: Self.start + 100).refusal == nil)
    }

    // MARK: Legacy bodies

    @Test func aLegacyBodyIsDeniedWithWhatToSend() async throws {
        let stage = try Self.stage()
        let refusal = try #require(await stage.post(.appleExchange, ["userIdentifier": "001.apple"]).refusal)
        #expect(refusal.code == .missingToken)
        #expect(refusal.status == 401)
        #expect(refusal.detail.contains("identity_token"))
        #expect(stage.counts.snapshot().legacy == [.init(tenant: "chat", decision: .deny): 1])
    }

    @Test(arguments: [AppleSignIn.LegacyBody.observe, .allow])
    func aLegacyBodyThatIsLetThroughIsCountedAndWarnedOf(_ legacy: AppleSignIn.LegacyBody) async throws {
        let stage = try Self.stage(.signIn(.forward, legacy: legacy))
        let expected = EndpointResult.forward(ForwardedSignIn(identity: nil, isObserved: legacy == .observe))
        #expect(await stage.post(.appleExchange, ["userIdentifier": "001.apple"]) == expected)
        #expect(await stage.post(.appleExchange, ["userIdentifier": "001.apple", "id_token": nil]) == expected)
        #expect(stage.counts.snapshot().legacy == [.init(tenant: "chat", decision: legacy): 2])
        #expect(stage.log.lines.count == 2)
        #expect(stage.log.lines.allSatisfy { $0.hasPrefix("warning ") && !$0.contains("001.apple") })
        #expect(stage.log.lines.last?.contains("uses=2") == true)
    }

    @Test func aBodyWithABadTokenIsNoLegacyBody() async throws {
        let stage = try Self.stage(.signIn(.forward, legacy: .allow))
        let answer = await stage.post(.appleExchange, ["userIdentifier": "001.apple", "identity_token": "made up"])
        #expect(answer.refusal?.code == .invalidToken)
        #expect(await stage.post(.appleExchange, [:]).refusal?.code == .missingToken)
        #expect(stage.counts.snapshot().legacy.isEmpty)
    }

    @Test func noSessionIsIssuedForALegacyBodyWhateverTheSettings() async throws {
        let stage = try Self.stage(.signIn(.issue, legacy: .allow))
        #expect(await stage.post(.appleExchange, ["userIdentifier": "001.apple"]).refusal?.code == .missingToken)
        #expect(stage.accounts.all.isEmpty)
    }
}
