import Store
import Tenants
import TestSupport
import Testing
import Time
import TokenSigning

@testable import IdentityProvider

/// Refresh tokens under each `refresh_rotation`.
struct RefreshRotationTests {
    private let start = SessionFixture.start

    private func rules(_ rotation: RefreshRotation, _ format: RefreshFormat = .opaque) -> IssuerRules {
        var rules = IssuerRules.chat
        rules.rotation = rotation
        rules.refreshFormat = format
        return rules
    }

    @Test func lateUseUnderLogGivesSameSuccessorAndIsLogged() async throws {
        let log = RecordedLog()
        let fixture = try SessionFixture(rules(.log), logger: log.logger)
        let first = try await fixture.signIn()
        let second = try await fixture.sessions.refresh(first.refresh, at: start + 1)
        let third = try await fixture.sessions.refresh(second.refresh, at: start + 1000)
        let late = try await fixture.sessions.refresh(first.refresh, at: start + 5000)
        #expect(try late.refresh == second.refresh)
        #expect(try await fixture.sessions.refresh(late.refresh, at: start + 5001).refresh == third.refresh)
        #expect(try await fixture.sessions.refresh(third.refresh, at: start + 5002).sessionID == first.sessionID)
        let line = "warning a refresh token was used again: its session goes on (refresh_rotation: log) "
        #expect(log.lines == Array(repeating: line + "session=\(first.sessionID) tenant=chat", count: 2))
    }

    @Test func forgottenTokenUnderLogIsRefusedAndSessionGoesOn() async throws {
        let fixture = try SessionFixture(rules(.log))
        let first = try await fixture.signIn()
        var last = first
        for step in 1...17 { last = try await fixture.sessions.refresh(last.refresh, at: start + Double(step) * 100) }
        #expect(try await refusal { try await fixture.sessions.refresh(first.refresh, at: start + 2000) } == .reused)
        #expect(try await fixture.sessions.refresh(last.refresh, at: start + 2001).sessionID == first.sessionID)
    }

    @Test func tokenStaysTheSameUnderOff() async throws {
        let fixture = try SessionFixture(rules(.off))
        let first = try await fixture.signIn()
        for step in 1...20 {
            let next = try await fixture.sessions.refresh(first.refresh, at: start + Double(step) * 100)
            #expect(try next.refresh == first.refresh)
            #expect(next.accessToken != first.accessToken)
        }
    }

    @Test func tokenRotatedAwayDoesNotBecomeValidUnderOff() async throws {
        let store = MemoryStore.still
        let strict = try SessionFixture(rules(.enforce), store)
        let relaxed = try SessionFixture(rules(.off), store)
        let first = try await strict.signIn()
        let second = try await strict.sessions.refresh(first.refresh, at: start + 1)
        #expect(try await relaxed.sessions.refresh(first.refresh, at: start + 20).refresh == second.refresh)
        #expect(try await refusal { try await relaxed.sessions.refresh(first.refresh, at: start + 40) } == .reused)
        #expect(try await relaxed.sessions.refresh(second.refresh, at: start + 41).refresh == second.refresh)
        // And back: the present token rotates again.
        let third = try await strict.sessions.refresh(second.refresh, at: start + 50)
        #expect(try third.refresh != second.refresh)
        #expect(try await refusal { try await strict.sessions.refresh(second.refresh, at: start + 90) } == .reused)
        #expect(
            try await refusal { try await strict.sessions.refresh(third.refresh, at: start + 91) } == .unknownSession
        )
    }

    @Test func outcomesAreCounted() async throws {
        let counts = RefreshReuseCounts()
        for rotation in RefreshRotation.allCases {
            let store = MemoryStore.still
            let strict = try SessionFixture(rules(.enforce), store)
            let first = try await strict.signIn()
            _ = try await SessionFixture(rules(.log), store).sessions.refresh(first.refresh, at: start)
            let sessions = SessionService(
                rules(rotation),
                store: store,
                keys: SessionTestKeys(algorithm: rules(rotation).algorithm, problem: nil),
                revocations: StoredRevocations(store: store),
                reuses: counts
            )
            _ = try? await sessions.refresh(first.refresh, at: start + 31)
        }
        #expect(
            counts.snapshot() == [
                .init(tenant: "chat", outcome: .ended): 1, .init(tenant: "chat", outcome: .answered): 1,
                .init(tenant: "chat", outcome: .refused): 1,
            ]
        )
    }

    /// Against a model with the whole history, with the mode changing between uses.
    @Test(arguments: UInt64(0)..<20)
    func randomHistoryMatchesModel(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var now = start
        var (session, first) = IssuerSession.start(SessionOpening(subject: "alice"), rules(.enforce), at: now)
        var tokens = [first]
        var usedAt: [UnixTime] = []
        var remembered: [Int] = []
        for _ in 0..<300 {
            now += Double.random(in: 0...20, using: &random)
            let mode = RefreshRotation.allCases[Int.random(in: 0..<3, using: &random)]
            let rules = rules(mode)
            let last = tokens.count - 1
            let index = Bool.random(using: &random) ? last : Int.random(in: max(0, last - 20)...last, using: &random)
            let decision = session.decision(on: tokens[index], RefreshGrantRequest(client: .none), mode, at: now)
            func forget() { if mode != .log { remembered.removeAll { now >= usedAt[$0] + 30 } } }
            guard index < last else {
                #expect(decision == (mode == .off ? .keep : .rotate))
                if mode == .off {
                    session.keep(nil, by: nil, rules, at: now)
                } else {
                    tokens.append(try session.rotate(tokens[index], nil, rules, at: now))
                    usedAt.append(now)
                    forget()
                    if remembered.count == RefreshFamily.mostRotations { remembered.removeFirst() }
                    remembered.append(index)
                }
                forget()
                continue
            }
            let isRemembered = remembered.contains(index)
            switch decision {
            case .repeated(let sealed):
                #expect(isRemembered && now < usedAt[index] + 30)
                #expect(SealedSuccessor.open(sealed, with: tokens[index], tenant: rules.tenant) == tokens[index + 1])
            case .reused(let sealed):
                #expect(mode == .log && isRemembered && now >= usedAt[index] + 30)
                #expect(SealedSuccessor.open(sealed, with: tokens[index], tenant: rules.tenant) == tokens[index + 1])
            case .end: #expect(mode == .enforce && !(isRemembered && now < usedAt[index] + 30))
            case .refuse(let refusal):
                #expect(refusal == .reused && (mode == .off || mode == .log && !isRemembered))
            case .rotate, .keep: Issue.record("a replaced token became valid again")
            }
        }
        #expect(usedAt.count > 50)
        first = tokens[0]
        #expect(session.decision(on: first, RefreshGrantRequest(client: .none), .off, at: now) == .refuse(.reused))
    }

    // MARK: Format

    @Test func jwtIsTypedAndNamesItsSession() async throws {
        let fixture = try SessionFixture(rules(.enforce, .jwt))
        let tokens = try await fixture.signIn()
        #expect(try fixture.header(tokens.refreshToken)["typ"] == "rt+jwt")
        let claims = try fixture.claims(tokens.refreshToken)
        #expect(claims["sid"] == .string(tokens.sessionID))
        #expect(claims["sub"] == "alice")
        #expect(claims["iss"] == .string(fixture.rules.url))
        #expect(claims["aud"] == .string(fixture.rules.url))
        #expect(claims["exp"]?.double == Double(Int(tokens.sessionExpiresAt.seconds)))
    }

    @Test func tokensOfBothFormatsWorkAfterSwitch() async throws {
        let store = MemoryStore.still
        let opaque = try SessionFixture(rules(.enforce), store)
        let jwt = try SessionFixture(rules(.enforce, .jwt), store)
        let first = try await opaque.signIn()
        let second = try await jwt.sessions.refresh(first.refresh, at: start + 1)
        #expect(try second.refresh.contains("."))
        let third = try await opaque.sessions.refresh(second.refresh, at: start + 2)
        #expect(try !third.refresh.contains("."))
        #expect(SessionService.names(try second.refresh, session: first.sessionID))
        // Reuse is found in either format.
        #expect(try await refusal { try await opaque.sessions.refresh(second.refresh, at: start + 60) } == .reused)
    }

    @Test func verifierRefusesRefreshTokenAsAccessToken() async throws {
        let fixture = try SessionFixture(rules(.enforce, .jwt))
        let tokens = try await fixture.signIn()
        var asBearer = tokens
        #expect(try fixture.verify(asBearer).subject == "alice")
        asBearer = IssuedTokens(
            accessToken: try tokens.refresh,
            refreshToken: nil,
            idToken: nil,
            scopes: [],
            confirmation: nil,
            accessExpiresAt: tokens.accessExpiresAt,
            expiresIn: 1,
            sessionID: tokens.sessionID,
            sessionExpiresAt: tokens.sessionExpiresAt
        )
        #expect(throws: (any Error).self) { try fixture.verify(asBearer) }
    }

    @Test func otherTokensAreNoRefreshTokens() async throws {
        let fixture = try SessionFixture(rules(.enforce, .jwt))
        let tokens = try await fixture.signIn()
        for text in [tokens.accessToken, try #require(tokens.idToken), "a.b.c", "..", try tokens.refresh + "."] {
            #expect(try await refusal { try await fixture.sessions.refresh(text, at: start) } == .malformed)
        }
    }
}
