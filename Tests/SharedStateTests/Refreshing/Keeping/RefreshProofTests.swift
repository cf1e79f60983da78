import Store
import Tenants
import TestSupport
import Testing
import Verification

@testable import SharedState

/// New tokens are for who has proved the session that they are of, and for nobody else.
@Suite(.timeLimit(.minutes(2)))
struct RefreshProofTests {
    private static let wrong = Array("made up".utf8)

    /// A request with the right access token, and a cookie of its own.
    private func impostor(_ house: RefreshHouse, patience: Double = 20) throws -> RefreshRequest {
        try house.request(refresh: Self.wrong, trigger: .ahead, patience: patience)
    }

    @Test(arguments: [RefreshTokenSource.cookie(name: "refresh"), .vault, .none])
    func subjectsThatShareASessionIdentifierShareNoTokens(source: RefreshTokenSource) async throws {
        let house = try RefreshHouse(2, source: source, provider: PretendIssuer(rotates: false))
        let alice = RefreshTokens.access("s1", subject: "alice")
        let bob = RefreshTokens.access("s1", subject: "bob")
        for token in [alice, bob] {
            let principal = try RefreshTokens.oldPrincipal(token)
            let refresh = RefreshTokens.refresh("s1")
            _ = await house.keepers[0]
                .capture(tenant: 0, accessToken: token, principal: principal, refreshToken: refresh)
        }
        house.provider.hold()
        let cookie: [UInt8]? = source == .vault || source == .none ? nil : RefreshTokens.refresh("s1")
        let requests = try [alice, bob].map { try house.request(access: $0, refresh: .some(cookie)) }
        async let first = house.keepers[0].refresh(requests[0])
        async let second = house.keepers[0].refresh(requests[1])
        await house.provider.called(2)
        house.provider.letGo()
        let answers = await [first, second] + [house.keepers[1].refresh(requests[1])]
        var subjects: [String?] = []
        for case .renewed(let renewal, _) in answers { subjects.append(renewal.principal.subject) }
        #expect(subjects == ["alice", "bob", "bob"])
    }

    @Test func aWrongCookieGetsNothingFromMemoryOrTheStore() async throws {
        let house = try RefreshHouse(2)
        #expect(await house.keepers[0].refresh(try house.request()).text == "2")
        house.provider.script(.refusal, .refusal)
        for keeper in house.keepers { #expect(await keeper.refresh(try impostor(house)).text == "refused refused") }
        // Whoever has the right one is not disturbed, and neither is who has the new one already.
        for keeper in house.keepers { #expect(await keeper.refresh(try house.request()).text == "2 shared") }
        let newer = try house.request(refresh: RefreshTokens.refresh("s1", 2))
        for keeper in house.keepers { #expect(await keeper.refresh(newer).text == "2 shared") }
    }

    @Test func aWrongCookieGetsNothingByJoining() async throws {
        let house = try RefreshHouse()
        house.provider.hold()
        let request = try house.request()
        let wrong = try impostor(house, patience: 15)
        async let first = house.keepers[0].refresh(request).text
        await house.provider.called(1)
        async let second = house.keepers[0].refresh(wrong).text
        await house.clock.waitForSleepers(1, after: 15)
        house.provider.state.update { $0.script = [.tokens, .refusal] }
        house.provider.letGo()
        #expect(await first == "2")
        #expect(await second == "refused refused")
        #expect(house.provider.state.value.presented.last == Self.wrong)
    }

    @Test func aWrongCookieGetsNothingWhileTheStoreIsAway() async throws {
        let house = try RefreshHouse()
        #expect(await house.keepers[0].refresh(try house.request()).text == "2")
        house.store.setUp(false)
        let wrong = try impostor(house, patience: 1)
        async let answer = house.keepers[0].refresh(wrong).text
        for _ in 0..<4 {
            await house.clock.waitForSleepers(1, after: 0.25)
            house.clock.advance(by: 0.25)
        }
        #expect(await answer == "unavailable late")
    }

    @Test func aRefusedCookieEndsNobodyElsesSession() async throws {
        let house = try RefreshHouse()
        house.provider.script(.refusal)
        let wrong = try house.request(refresh: Self.wrong)
        #expect(await house.keepers[0].refresh(wrong).text == "refused refused")
        #expect(house.ended.value.map(\.wholeSession) == [false])
        #expect(!house.revoked.value.contains("s1"))
        let next = try house.request(access: RefreshTokens.access("s1", 7))
        #expect(await house.keepers[0].refresh(next).text == "2")
    }

    /// The end of the one token, which is not that of the session, takes nothing that the session was given since.
    @Test func anOldTokensEndAloneTakesNoNewTokens() async throws {
        let house = try RefreshHouse()
        let request = try house.request()
        #expect(await house.keepers[0].refresh(request).text == "2")
        await house.revoke(RefreshTokens.name(request.principal))
        await house.keepers[0].stop()
        #expect(house.ended.value.isEmpty)
        #expect(try await house.store.value(for: house.keys().result) != nil)
    }

    @Test func aRefusalWithoutACookieEndsTheSession() async throws {
        let house = try RefreshHouse(source: .none)
        house.provider.script(.refusal)
        #expect(await house.keepers[0].refresh(try house.request(refresh: .some(nil))).text == "refused refused")
        #expect(house.revoked.value == ["s1"])
    }

    /// Ends that take their time do not keep anybody longer than he can wait.
    @Test func whoCannotWaitForTheSessionsEndIsToldSo() async throws {
        let house = try RefreshHouse()
        house.provider.script(.refusal)
        house.endings.update { $0 = false }
        let request = try house.request(patience: 2)
        async let answer = house.keepers[0].refresh(request).text
        await house.ended.wait { !$0.isEmpty }
        house.clock.advance(by: 2)
        #expect(await answer == "unavailable late")
        house.endings.update { $0 = true }
    }
}
