import Store
import TestSupport
import Testing
import Time
import Verification

@testable import IdentityProvider
@testable import Tenants

/// Apple's events, as the account hook hears them.
struct AppleEventHookTests {
    private static let start = ExchangeFixture.start
    private static let body = Array(#"{"payload":"jws"}"#.utf8)

    private let side: HookSide
    private let fixture: ExchangeFixture

    init() throws {
        side = try HookSide()
        var fixture = try ExchangeFixture()
        fixture.hook = side.hook(AccountRules(realm: "taxi"), log: fixture.log)
        self.fixture = fixture
    }

    private func notify(_ kind: AppleEvent.Kind, email: String? = nil) async -> EndpointResult {
        let event = AppleEvent(
            kind: kind,
            subject: "001.apple",
            email: email,
            isPrivateEmail: email == nil ? nil : true,
            happenedAt: Self.start + 100
        )
        fixture.checks.announce(event, as: Self.body)
        let request = EndpointRequest(
            endpoint: .appleNotifications,
            method: "POST",
            authority: "chat.localtest",
            fields: EndpointRequest.Fields(contentType: "application/json"),
            body: Self.body,
            now: Self.start + 200
        )
        return await fixture.exchange.respond(to: request)
    }

    @Test func addressEventReachesTheHookWithItsAccount() async throws {
        side.respond("")
        fixture.checks.issueApple("apple-token")
        _ = try await fixture.post(.appleExchange, ["id_token": "apple-token", "nonce": "n"]).object
        #expect(try await notify(.emailDisabled, email: "x1@privaterelay.appleid.com").response.status == 200)
        #expect(
            side.accepted == [
                [
                    "tenant": "chat", "realm": "taxi",
                    "event": [
                        "type": "email-disabled", "provider": "apple", "subject": "001.apple",
                        "account": "account-of-001.apple", "email": "x1@privaterelay.appleid.com",
                        "is_private_email": true, "happened_at": 1_800_000_100,
                    ],
                    "time": 1_800_000_200,
                ]
            ]
        )
    }

    @Test(arguments: [
        (AppleEvent.Kind.emailEnabled, "email-enabled"), (.consentRevoked, "consent-revoked"),
        (.accountDeleted, "account-delete"), (.other("moon-rise"), "moon-rise"),
    ])
    func everyEventIsPassedByItsName(_ kind: AppleEvent.Kind, _ name: String) async throws {
        side.respond("no JSON")
        #expect(try await notify(kind).response.status == 200)
        let told = try #require(side.accepted.first?["event"]?.object)
        #expect(told["type"]?.string == name && told["account"] == nil && told["email"] == nil)
    }

    /// Apple repeats what is not 200.
    @Test(arguments: [500, 503, 302, 408, 429])
    func hookThatFailsHearsItAgain(_ status: Int) async throws {
        side.respond("", status: status)
        let refusal = await notify(.emailDisabled).refusal
        #expect(refusal?.status == 503 && refusal?.code == .backendUnavailable)
        side.respond("")
        #expect(await notify(.emailDisabled).refusal == nil)
    }

    @Test(arguments: ProviderRequestFailure.allCases)
    func hookThatIsDownHearsItAgainAndSessionsEndAllTheSame(_ failure: ProviderRequestFailure) async throws {
        side.onRequest { (_) throws(ProviderRequestFailure) in throw failure }
        fixture.checks.issueApple("apple-token")
        let object = try await fixture.post(.appleExchange, ["id_token": "apple-token", "nonce": "n"]).object
        let token = try object.text("refresh_token")
        #expect(await notify(.consentRevoked).refusal?.status == 503)
        await #expect(throws: IssuingError.self) { try await fixture.sessions.refresh(token, at: Self.start + 201) }
    }

    @Test(arguments: [400, 404, 422])
    func hookThatDoesNotWantItIsNotAskedAgain(_ status: Int) async throws {
        side.respond("", status: status)
        #expect(try await notify(.emailDisabled).response.status == 200)
        #expect(
            fixture.log.lines.contains(
                "warning the account hook does not take an event event=email-disabled status=\(status)"
            )
        )
    }
}
