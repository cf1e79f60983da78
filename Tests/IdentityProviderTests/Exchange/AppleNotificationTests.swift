import Store
import Tenants
import Testing
import Time
import Verification

@testable import IdentityProvider

/// What Apple tells of its accounts.
@Suite struct AppleNotificationTests {
    private static let start = ExchangeFixture.start
    private static let body = Array(#"{"payload":"jws"}"#.utf8)

    private static func tell(_ stage: ExchangeFixture, _ kind: AppleEvent.Kind, at now: UnixTime) async
        -> EndpointResult
    {
        await tell(stage, stage.exchange, kind, at: now)
    }

    private static func tell(
        _ stage: ExchangeFixture,
        _ endpoints: ExchangeEndpoints,
        _ kind: AppleEvent.Kind,
        at now: UnixTime
    ) async -> EndpointResult {
        stage.checks.announce(AppleEvent(kind: kind, subject: "001.apple", happenedAt: start + 100), as: body)
        return await endpoints.answer(
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

    private static func signIn(_ stage: ExchangeFixture, at now: UnixTime) async throws -> String {
        stage.checks.issueApple("token-\(now.seconds)", until: now + 600)
        let object = try await stage.post(
            .appleExchange,
            ["identity_token": .string("token-\(now.seconds)"), "nonce": "n"],
            at: now
        ).object
        return try object.text("refresh_token")
    }

    @Test(arguments: [AppleEvent.Kind.consentRevoked, .accountDeleted])
    func everySessionThatHadBegunEnds(_ kind: AppleEvent.Kind) async throws {
        let stage = try ExchangeFixture()
        let first = try await Self.signIn(stage, at: Self.start)
        let second = try await Self.signIn(stage, at: Self.start + 50)
        let later = try await Self.signIn(stage, at: Self.start + 150)
        // Once more, as Apple does that has not got the answer.
        for _ in 0..<2 {
            #expect(try await Self.tell(stage, kind, at: Self.start + 200).response.status == 200)
        }
        for token in [first, second] {
            await #expect(throws: IssuingError.self) { try await stage.book.refresh(token, at: Self.start + 201) }
        }
        _ = try await stage.book.refresh(later, at: Self.start + 201)
    }

    @Test(arguments: [SignIn.issuing, .forwarding])
    func anAccountThatIsDeletedAtAppleIsForgotten(_ signIn: SignIn) async throws {
        let stage = try ExchangeFixture(signIn)
        for kind in [AppleEvent.Kind.consentRevoked, .emailDisabled, .emailEnabled, .other("weather")] {
            _ = await Self.tell(stage, kind, at: Self.start + 200)
        }
        #expect(stage.accounts.forgotten.isEmpty)
        #expect(await Self.tell(stage, .accountDeleted, at: Self.start + 200).refusal == nil)
        #expect(stage.accounts.forgotten == [Account.Identity(provider: .apple, subject: "001.apple")])
        stage.accounts.fail(.unavailable(.storeUnavailable))
        #expect(await Self.tell(stage, .accountDeleted, at: Self.start + 200).refusal?.status == 503)
    }

    @Test func theSessionsOfAllTenantsOfTheRealmEnd() async throws {
        let stage = try ExchangeFixture()
        let other = try stage.book(.clans)
        let first = try await Self.signIn(stage, at: Self.start)
        let elsewhere = try await other.start(SessionOpening(subject: "account-of-001.apple"), at: Self.start)
        let stranger = try await other.start(SessionOpening(subject: "bob"), at: Self.start)
        let endpoints = ExchangeEndpoints(
            stage.context,
            checks: stage.checks,
            realmSessions: [stage.book, other],
            counts: stage.counts
        )
        #expect(try await Self.tell(stage, endpoints, .accountDeleted, at: Self.start + 200).response.status == 200)
        await #expect(throws: IssuingError.self) { try await stage.book.refresh(first, at: Self.start + 201) }
        await #expect(throws: IssuingError.self) {
            try await other.refresh(elsewhere.refresh, at: Self.start + 201)
        }
        _ = try await other.refresh(stranger.refresh, at: Self.start + 201)
    }

    @Test func theBackendLearnsOfItAndItsTokensAreRevoked() async throws {
        let stage = try ExchangeFixture(.forwarding)
        let answer = await Self.tell(stage, .consentRevoked, at: Self.start + 200)
        let identity = ProviderIdentity(provider: .apple, subject: "001.apple")
        #expect(answer == .forward(ForwardedSignIn(identity: identity)))
        #expect(stage.revocations.all.map(\.target) == [.subject("001.apple")])
        #expect(stage.revocations.all.map(\.revokedAt) == [Self.start + 100])
    }

    @Test(arguments: [AppleEvent.Kind.emailDisabled, .emailEnabled, .other("weather")])
    func whatEndsNothingIsNoted(_ kind: AppleEvent.Kind) async throws {
        let stage = try ExchangeFixture()
        let token = try await Self.signIn(stage, at: Self.start)
        #expect(try await Self.tell(stage, kind, at: Self.start + 200).response.status == 200)
        _ = try await stage.book.refresh(token, at: Self.start + 201)
        #expect(stage.log.lines.count { $0.contains("Apple tells") } == 1)
        #expect(stage.log.lines.allSatisfy { !$0.contains("001.apple") })
    }

    @Test func anEventOfSomeoneUnknownIsNoted() async throws {
        let stage = try ExchangeFixture()
        #expect(try await Self.tell(stage, .accountDeleted, at: Self.start + 200).response.status == 200)
    }

    @Test func whatIsNotApplesIsRefused() async throws {
        let stage = try ExchangeFixture()
        let request = EndpointRequest(
            endpoint: .appleNotifications,
            method: "POST",
            authority: "chat.localtest",
            body: Self.body,
            now: Self.start
        )
        #expect(await stage.exchange.answer(request).refusal?.code == .invalidToken)
    }

    @Test func appleIsAskedToComeAgainWhileTheStoreIsDown() async throws {
        let store = WatchedStore()
        let stage = try ExchangeFixture(store: store)
        let token = try await Self.signIn(stage, at: Self.start)
        store.fail(WatchedStore.Call.allCases)
        #expect(await Self.tell(stage, .accountDeleted, at: Self.start + 200).refusal?.status == 503)
        store.onCall(nil)
        #expect(try await Self.tell(stage, .accountDeleted, at: Self.start + 300).response.status == 200)
        await #expect(throws: IssuingError.self) { try await stage.book.refresh(token, at: Self.start + 301) }
    }
}
