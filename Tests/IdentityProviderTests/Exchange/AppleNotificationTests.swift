import Store
import Tenants
import Testing
import Time
import Verification

@testable import IdentityProvider

/// Apple's server-to-server events.
struct AppleNotificationTests {
    private static let start = ExchangeFixture.start
    private static let body = Array(#"{"payload":"jws"}"#.utf8)

    private static func notify(_ fixture: ExchangeFixture, _ kind: AppleEvent.Kind, at now: UnixTime) async
        -> EndpointResult
    {
        await notify(fixture, fixture.exchange, kind, at: now)
    }

    private static func notify(
        _ fixture: ExchangeFixture,
        _ endpoints: ExchangeEndpoints,
        _ kind: AppleEvent.Kind,
        at now: UnixTime
    ) async -> EndpointResult {
        fixture.checks.announce(AppleEvent(kind: kind, subject: "001.apple", happenedAt: start + 100), as: body)
        return await endpoints.respond(
            to:
                EndpointRequest(
                    endpoint: .appleNotifications,
                    method: "POST",
                    authority: "chat.localtest",
                    fields: EndpointRequest.Fields(contentType: "application/json"),
                    body: body,
                    now: now
                )
        )
    }

    private static func signIn(_ fixture: ExchangeFixture, at now: UnixTime) async throws -> String {
        fixture.checks.issueApple("token-\(now.seconds)", until: now + 600)
        let object = try await fixture.post(
            .appleExchange,
            ["identity_token": .string("token-\(now.seconds)"), "nonce": "n"],
            at: now
        ).object
        return try object.text("refresh_token")
    }

    @Test(arguments: [AppleEvent.Kind.consentRevoked, .accountDeleted])
    func sessionsBegunBeforeEventEnd(_ kind: AppleEvent.Kind) async throws {
        let fixture = try ExchangeFixture()
        let first = try await Self.signIn(fixture, at: Self.start)
        let second = try await Self.signIn(fixture, at: Self.start + 50)
        let later = try await Self.signIn(fixture, at: Self.start + 150)
        // Apple repeats an event whose response was lost.
        for _ in 0..<2 {
            #expect(try await Self.notify(fixture, kind, at: Self.start + 200).response.status == 200)
        }
        for token in [first, second] {
            await #expect(throws: IssuingError.self) { try await fixture.sessions.refresh(token, at: Self.start + 201) }
        }
        _ = try await fixture.sessions.refresh(later, at: Self.start + 201)
    }

    @Test(arguments: [SignIn.issuing, .forwarding])
    func accountDeletedAtAppleIsForgotten(_ signIn: SignIn) async throws {
        let fixture = try ExchangeFixture(signIn)
        for kind in [AppleEvent.Kind.consentRevoked, .emailDisabled, .emailEnabled, .other("weather")] {
            _ = await Self.notify(fixture, kind, at: Self.start + 200)
        }
        #expect(fixture.accounts.forgotten.isEmpty)
        #expect(await Self.notify(fixture, .accountDeleted, at: Self.start + 200).refusal == nil)
        #expect(fixture.accounts.forgotten == [Account.Identity(provider: .apple, subject: "001.apple")])
        fixture.accounts.fail(.unavailable(.storeUnavailable))
        #expect(await Self.notify(fixture, .accountDeleted, at: Self.start + 200).refusal?.status == 503)
    }

    @Test func sessionsOfAllTenantsInRealmEnd() async throws {
        let fixture = try ExchangeFixture()
        let other = try fixture.sessionService(.clans)
        let first = try await Self.signIn(fixture, at: Self.start)
        let elsewhere = try await other.start(SessionOpening(subject: "account-of-001.apple"), at: Self.start)
        let stranger = try await other.start(SessionOpening(subject: "bob"), at: Self.start)
        let endpoints = ExchangeEndpoints(
            fixture.context,
            checks: fixture.checks,
            realmSessions: [fixture.sessions, other],
            counts: fixture.counts
        )
        #expect(try await Self.notify(fixture, endpoints, .accountDeleted, at: Self.start + 200).response.status == 200)
        await #expect(throws: IssuingError.self) { try await fixture.sessions.refresh(first, at: Self.start + 201) }
        await #expect(throws: IssuingError.self) {
            try await other.refresh(elsewhere.refresh, at: Self.start + 201)
        }
        _ = try await other.refresh(stranger.refresh, at: Self.start + 201)
    }

    @Test func eventIsForwardedAndBackendTokensAreRevoked() async throws {
        let fixture = try ExchangeFixture(.forwarding)
        let answer = await Self.notify(fixture, .consentRevoked, at: Self.start + 200)
        let identity = ProviderIdentity(provider: .apple, subject: "001.apple")
        #expect(answer == .forward(ForwardedSignIn(identity: identity)))
        #expect(fixture.revocations.all.map(\.target) == [.subject("001.apple")])
        #expect(fixture.revocations.all.map(\.revokedAt) == [Self.start + 100])
    }

    @Test(arguments: [AppleEvent.Kind.emailDisabled, .emailEnabled, .other("weather")])
    func otherEventsAreAcknowledgedAndLogged(_ kind: AppleEvent.Kind) async throws {
        let fixture = try ExchangeFixture()
        let token = try await Self.signIn(fixture, at: Self.start)
        #expect(try await Self.notify(fixture, kind, at: Self.start + 200).response.status == 200)
        _ = try await fixture.sessions.refresh(token, at: Self.start + 201)
        #expect(fixture.log.lines.count { $0.contains("Apple reports") } == 1)
        #expect(fixture.log.lines.allSatisfy { !$0.contains("001.apple") })
    }

    @Test func eventForUnknownSubjectIsAcknowledgedAndLogged() async throws {
        let fixture = try ExchangeFixture()
        #expect(try await Self.notify(fixture, .accountDeleted, at: Self.start + 200).response.status == 200)
        let unknown = "about somebody who has no account here"
        #expect(fixture.log.lines.count { $0.contains(unknown) && $0.contains("account-delete") } == 1)
        #expect(fixture.log.lines.allSatisfy { !$0.contains("001.apple") })
        let known = try ExchangeFixture()
        _ = try await Self.signIn(known, at: Self.start)
        #expect(try await Self.notify(known, .accountDeleted, at: Self.start + 200).response.status == 200)
        #expect(known.log.lines.allSatisfy { !$0.contains(unknown) })
    }

    @Test func unsignedEventIsRefused() async throws {
        let fixture = try ExchangeFixture()
        let request = EndpointRequest(
            endpoint: .appleNotifications,
            method: "POST",
            authority: "chat.localtest",
            body: Self.body,
            now: Self.start
        )
        #expect(await fixture.exchange.respond(to: request).refusal?.code == .invalidToken)
    }

    @Test func storeFailureMakesAppleRepeatEvent() async throws {
        let store = WatchedStore()
        let fixture = try ExchangeFixture(store: store)
        let token = try await Self.signIn(fixture, at: Self.start)
        store.fail(WatchedStore.Call.allCases)
        #expect(await Self.notify(fixture, .accountDeleted, at: Self.start + 200).refusal?.status == 503)
        store.onCall(nil)
        #expect(try await Self.notify(fixture, .accountDeleted, at: Self.start + 300).response.status == 200)
        await #expect(throws: IssuingError.self) { try await fixture.sessions.refresh(token, at: Self.start + 301) }
    }
}
