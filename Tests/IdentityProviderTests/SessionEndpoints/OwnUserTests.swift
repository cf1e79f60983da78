import Store
import Testing
import Time
import Verification

@testable import IdentityProvider

/// Whose a token is.
@Suite struct OwnUserTests {
    private static let start = ExchangeFixture.start

    @Test func meIsTheUser() async throws {
        let stage = try ExchangeFixture()
        let tokens = try await stage.begin()
        for answer in [
            await stage.ask(.sessionMe, "GET", bearer: tokens.accessToken),
            await stage.ask(.sessionMe, "GET", cookies: try tokens.cookies, fetchSite: "cross-site"),
        ] {
            let object = try answer.object
            #expect(object.members.map(\.name) == ["success", "user"])
            #expect(object["user"] == .object(try #require(stage.accounts.all.first).user))
            #expect(try answer.response.subject == "account-of-001.apple")
        }
    }

    @Test func validateSaysSoToo() async throws {
        let stage = try ExchangeFixture()
        let tokens = try await stage.begin()
        for method in ["GET", "POST"] {
            let object = try await stage.ask(.sessionValidate, method, bearer: tokens.accessToken).object
            #expect(object["success"] == true)
            #expect(object["valid"] == true)
            #expect(object["user"]?.object?["sub"] == "account-of-001.apple")
        }
        let crossSite = await stage.ask(.sessionValidate, cookies: try tokens.cookies, fetchSite: "cross-site")
        #expect(crossSite.refusal?.code == .crossSiteRequest)
    }

    @Test func anOAuthClientSeesWhatItsTokenSays() async throws {
        let stage = try ExchangeFixture()
        _ = try await stage.begin()
        let tokens = try await stage.book.start(
            SessionOpening(subject: "account-of-001.apple", scopes: ["openid"], clientID: "app"),
            at: Self.start
        )
        let object = try await stage.ask(.sessionMe, "GET", bearer: tokens.accessToken).object
        #expect(object["user"]?.object?["id"] == "account-of-001.apple")
        #expect(object["user"]?.object?["email"] == nil)
    }

    @Test func whoHasNoAccountIsWhoTheTokenSays() async throws {
        let stage = try ExchangeFixture()
        let tokens = try await stage.book.start(
            SessionOpening(subject: "bob", claims: ["email": "bob@example.org"]),
            at: Self.start
        )
        let object = try await stage.ask(.sessionMe, "GET", bearer: tokens.accessToken).object
        #expect(object["user"] == ["id": "bob", "sub": "bob", "email": "bob@example.org"])
    }

    @Test func noTokenABadOneAndAnOldOneAreToldApart() async throws {
        let stage = try ExchangeFixture()
        let tokens = try await stage.begin()
        #expect(await stage.ask(.sessionMe, "GET").refusal?.code == .missingToken)
        #expect(await stage.ask(.sessionMe, "GET", bearer: "x.y.z").refusal?.code == .invalidToken)
        let late = await stage.ask(.sessionMe, "GET", bearer: tokens.accessToken, at: Self.start + 1801)
        #expect(late.refusal?.code == .tokenExpired)
    }

    @Test func anEndedOrRevokedSessionIsOver() async throws {
        let stage = try ExchangeFixture()
        let ended = try await stage.begin()
        try await stage.book.end(sessionID: ended.sessionID, at: Self.start)
        #expect(await stage.ask(.sessionMe, "GET", bearer: ended.accessToken).refusal?.code == .tokenRevoked)
        let revoked = try await stage.begin()
        try await stage.revocations.revoke([
            Revocation(tenant: "chat", target: .session(revoked.sessionID), revokedAt: Self.start)
        ])
        #expect(await stage.ask(.sessionMe, "GET", bearer: revoked.accessToken).refusal?.code == .tokenRevoked)
    }

    @Test func aSessionThatAnotherInstanceEndedIsOver() async throws {
        let stage = try ExchangeFixture()
        let other = try ExchangeFixture(store: stage.store)
        let tokens = try await stage.begin()
        _ = try await other.ask(.sessionLogout, bearer: tokens.accessToken).object
        #expect(stage.revocations.all.isEmpty)
        for endpoint in [Endpoint.sessionMe, .sessionValidate] {
            #expect(await stage.ask(endpoint, "GET", bearer: tokens.accessToken).refusal?.code == .tokenRevoked)
        }
    }

    @Test func nobodyIsValidWhileTheStoreCannotSay() async throws {
        let store = WatchedStore()
        let stage = try ExchangeFixture(store: store)
        let tokens = try await stage.begin()
        store.fail([.value])
        #expect(await stage.ask(.sessionMe, "GET", bearer: tokens.accessToken) == .refused(.storeUnavailable))
    }
}
