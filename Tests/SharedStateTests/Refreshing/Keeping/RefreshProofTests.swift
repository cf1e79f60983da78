import Store
import Tenants
import TestSupport
import Testing
import Verification

@testable import SharedState

/// New tokens are only for requests that have proved the session.
@Suite(.timeLimit(.minutes(2)))
struct RefreshProofTests {
    private static let wrong = Array("made up".utf8)

    /// A request with the right access token, and a cookie of its own.
    private func impostor(_ fixture: RefreshFixture, patience: Double = 20) throws -> RefreshRequest {
        try fixture.request(refresh: Self.wrong, trigger: .ahead, patience: patience)
    }

    @Test(arguments: [RefreshTokenSource.cookie(name: "refresh"), .vault, .none])
    func subjectsThatShareASessionIdentifierShareNoTokens(source: RefreshTokenSource) async throws {
        let fixture = try RefreshFixture(2, source: source, provider: PretendIssuer(rotates: false))
        let alice = RefreshTokens.access("s1", subject: "alice")
        let bob = RefreshTokens.access("s1", subject: "bob")
        for token in [alice, bob] {
            let principal = try RefreshTokens.oldPrincipal(token)
            let refresh = RefreshTokens.refresh("s1")
            _ = await fixture.services[0]
                .capture(tenant: 0, accessToken: token, principal: principal, refreshToken: refresh)
        }
        fixture.provider.hold()
        let cookie: [UInt8]? = source == .vault || source == .none ? nil : RefreshTokens.refresh("s1")
        let requests = try [alice, bob].map { try fixture.request(access: $0, refresh: .some(cookie)) }
        async let first = fixture.services[0].refresh(requests[0])
        async let second = fixture.services[0].refresh(requests[1])
        await fixture.provider.called(2)
        fixture.provider.release()
        let answers = await [first, second] + [fixture.services[1].refresh(requests[1])]
        var subjects: [String?] = []
        for case .renewed(let renewal, _) in answers { subjects.append(renewal.principal.subject) }
        #expect(subjects == ["alice", "bob", "bob"])
    }

    @Test func wrongCookieGetsNoTokensFromMemoryOrStore() async throws {
        let fixture = try RefreshFixture(2)
        #expect(await fixture.services[0].refresh(try fixture.request()).text == "2")
        fixture.provider.script(.refusal, .refusal)
        for service in fixture.services {
            #expect(await service.refresh(try impostor(fixture)).text == "refused refused")
        }
        // Requests with the right cookie, or the new one, still get the tokens.
        for service in fixture.services { #expect(await service.refresh(try fixture.request()).text == "2 shared") }
        let newer = try fixture.request(refresh: RefreshTokens.refresh("s1", 2))
        for service in fixture.services { #expect(await service.refresh(newer).text == "2 shared") }
    }

    @Test func wrongCookieGetsNoTokensByJoiningAFlight() async throws {
        let fixture = try RefreshFixture()
        fixture.provider.hold()
        let request = try fixture.request()
        let wrong = try impostor(fixture, patience: 15)
        async let first = fixture.services[0].refresh(request).text
        await fixture.provider.called(1)
        async let second = fixture.services[0].refresh(wrong).text
        await fixture.clock.waitForSleepers(1, after: 15)
        fixture.provider.state.update { $0.script = [.tokens, .refusal] }
        fixture.provider.release()
        #expect(await first == "2")
        #expect(await second == "refused refused")
        #expect(fixture.provider.state.value.presented.last == Self.wrong)
    }

    @Test func wrongCookieGetsNoTokensWithoutTheStore() async throws {
        let fixture = try RefreshFixture()
        #expect(await fixture.services[0].refresh(try fixture.request()).text == "2")
        fixture.store.setUp(false)
        let wrong = try impostor(fixture, patience: 1)
        async let answer = fixture.services[0].refresh(wrong).text
        for _ in 0..<4 {
            await fixture.clock.waitForSleepers(1, after: 0.25)
            fixture.clock.advance(by: 0.25)
        }
        #expect(await answer == "unavailable late")
    }

    @Test func refusedCookieDoesNotEndTheOwnersSession() async throws {
        let fixture = try RefreshFixture()
        fixture.provider.script(.refusal)
        let wrong = try fixture.request(refresh: Self.wrong)
        #expect(await fixture.services[0].refresh(wrong).text == "refused refused")
        #expect(fixture.ended.value.map(\.wholeSession) == [false])
        #expect(!fixture.revoked.value.contains("s1"))
        let next = try fixture.request(access: RefreshTokens.access("s1", 7))
        #expect(await fixture.services[0].refresh(next).text == "2")
    }

    /// The end of the one token, which is not that of the session, takes nothing that the session was given since.
    @Test func revokingTheOldTokenLeavesTheNewOnes() async throws {
        let fixture = try RefreshFixture()
        let request = try fixture.request()
        #expect(await fixture.services[0].refresh(request).text == "2")
        await fixture.revoke(RefreshTokens.name(request.principal))
        await fixture.services[0].stop()
        #expect(fixture.ended.value.isEmpty)
        #expect(try await fixture.store.value(for: fixture.keys().result) != nil)
    }

    @Test func refusalWithoutRequiredCookieEndsTheSession() async throws {
        let fixture = try RefreshFixture(source: .none)
        fixture.provider.script(.refusal)
        #expect(await fixture.services[0].refresh(try fixture.request(refresh: .some(nil))).text == "refused refused")
        #expect(fixture.revoked.value == ["s1"])
    }

    /// A slow end of the session does not delay a request beyond its deadline.
    @Test func requestDoesNotWaitForASlowSessionEnd() async throws {
        let fixture = try RefreshFixture()
        fixture.provider.script(.refusal)
        fixture.endings.update { $0 = false }
        let request = try fixture.request(patience: 2)
        async let answer = fixture.services[0].refresh(request).text
        await fixture.ended.wait { !$0.isEmpty }
        fixture.clock.advance(by: 2)
        #expect(await answer == "unavailable late")
        fixture.endings.update { $0 = true }
    }
}
