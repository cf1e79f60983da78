import Store
import Testing
import Time
import Verification

@testable import IdentityProvider

/// Google's tokens.
struct GoogleExchangeTests {
    private static func fixture(_ signIn: ExchangeFixture.Kind = .issue, _ store: any Store = MemoryStore.still) throws
        -> ExchangeFixture
    {
        let fixture = try ExchangeFixture(signIn == .issue ? .issuing : .forwarding, store: store)
        fixture.checks.issueGoogle("access:a-1")
        fixture.checks.issueGoogle("id:i-1")
        fixture.checks.issueGoogle("access:a-2", for: "g-2")
        return fixture
    }

    @Test(arguments: [["access_token": "a-1"], ["id_token": "i-1"], ["access_token": "a-1", "id_token": "i-1"]])
    func eitherTokenBeginsSession(_ body: [String: String]) async throws {
        let fixture = try Self.fixture()
        let object = try await fixture.post(.googleExchange, JSONObject(body)).object
        #expect(object["user"]?.object?["id"] == "account-of-g-1")
        #expect(object["user"]?.object?["name"] == "Alice")
        _ = try await fixture.sessions.refresh(object.text("refresh_token"), at: ExchangeFixture.start + 1)
    }

    @Test func eachExchangeBeginsItsOwnSession() async throws {
        let fixture = try Self.fixture()
        let first = try await fixture.post(.googleExchange, ["access_token": "a-1"]).object
        let second = try await fixture.post(.googleExchange, ["access_token": "a-1"], at: ExchangeFixture.start + 1000)
            .object
        #expect(first["refresh_token"] != second["refresh_token"])
        for object in [first, second] {
            _ = try await fixture.sessions.refresh(object.text("refresh_token"), at: ExchangeFixture.start + 1001)
        }
        #expect(fixture.accounts.all.count == 1)
        #expect(fixture.counts.snapshot().signIns.map(\.value) == [2])
    }

    @Test func tokensOfTwoPeopleAreRefused() async throws {
        let fixture = try Self.fixture(.forward)
        let answer = await fixture.post(.googleExchange, ["access_token": "a-2", "id_token": "i-1"])
        #expect(answer.refusal?.code == .invalidToken)
    }

    @Test func otherEmailThanTokensIsNotForwarded() async throws {
        let fixture = try Self.fixture(.forward)
        fixture.checks.issueGoogle("id:i-3", for: "g-3", email: "carol@example.org")
        fixture.checks.issueGoogle("id:i-4", for: "g-4", email: "dave@example.org", isEmailVerified: false)
        for email in ["mallory@example.org", "carol@example.org ", "carol", "caro\u{212A}@example.org"] {
            let answer = await fixture.post(.googleExchange, ["id_token": "i-3", "email": .string(email)])
            #expect(answer.refusal?.code == .invalidToken)
        }
        #expect(fixture.accounts.all.isEmpty)
        // The same address, none, and one while the token has none.
        let good: [JSONObject] = [
            ["id_token": "i-3", "email": "Carol@EXAMPLE.org"], ["id_token": "i-3", "email": ""], ["id_token": "i-3"],
            ["id_token": "i-4", "email": "mallory@example.org"], ["id_token": "i-1", "email": "mallory@example.org"],
        ]
        for body in good { #expect(await fixture.post(.googleExchange, body).refusal == nil) }
        let issuing = try Self.fixture()
        issuing.checks.issueGoogle("id:i-3", for: "g-3", email: "carol@example.org")
        let answer = try await issuing.post(.googleExchange, ["id_token": "i-3", "email": "earlier@example.org"]).object
        #expect(answer["user"]?.object?["email"] == "carol@example.org")
    }

    @Test(arguments: ["Access_Token", "ID_TOKEN", "eMail", "acce\u{17F}s_token"])
    func memberDifferingOnlyInCaseIsRefused(_ name: String) async throws {
        var body: JSONObject = ["access_token": "a-1"]
        body[name] = "a-2"
        #expect(await (try Self.fixture()).post(.googleExchange, body).refusal?.code == .badRequest)
    }

    @Test func validTokenIsForwardedUnlessRoleConflicts() async throws {
        let fixture = try Self.fixture(.forward)
        guard case .forward(let signIn) = await fixture.post(.googleExchange, ["access_token": "a-2"]) else {
            Issue.record("not sent on")
            return
        }
        #expect(signIn.identity?.subject == "g-2")
        fixture.accounts.fail(.otherRole("driver"))
        #expect(try await fixture.post(.googleExchange, ["access_token": "a-2"]).response.status == 409)
    }

    @Test func foreignOrMissingTokenIsRefused() async throws {
        let fixture = try Self.fixture()
        #expect(await fixture.post(.googleExchange, ["access_token": "other"]).refusal?.code == .invalidToken)
        #expect(await fixture.post(.googleExchange, ["id_token": "a-1"]).refusal?.code == .invalidToken)
        #expect(await fixture.post(.googleExchange, [:]).refusal?.code == .missingToken)
    }

    @Test func storeFailureGivesNoSession() async throws {
        let store = WatchedStore()
        let fixture = try Self.fixture(.issue, store)
        store.fail(WatchedStore.Call.allCases)
        #expect(await fixture.post(.googleExchange, ["access_token": "a-1"]) == .refused(.storeUnavailable))
    }
}

extension ExchangeFixture {
    enum Kind: CaseIterable, Sendable { case issue, forward }
}

extension JSONObject {
    fileprivate init(_ members: [String: String]) {
        self.init()
        for (name, value) in members { self[name] = .string(value) }
    }
}
