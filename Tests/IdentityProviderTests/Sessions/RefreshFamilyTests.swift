import TestSupport
import Testing
import Time

@testable import IdentityProvider

struct RefreshFamilyTests {
    private static let id = [UInt8](0..<16)
    private static let key = [UInt8](repeating: 7, count: 32)

    private func token() -> RefreshToken { RefreshToken(sessionID: Self.id, familyKey: Self.key) }

    @Test func usedTokenGivesSuccessorForThirtySeconds() {
        let (first, second) = (token(), token())
        var family = RefreshFamily(key: Self.key, currentHash: first.hash)
        #expect(family.status(of: first, at: 0) == .current)
        family.rotate(to: second, sealed: [1], at: 100)
        #expect(family.status(of: second, at: 100) == .current)
        #expect(family.status(of: first, at: 100) == .rotated(sealedSuccessor: [1]))
        #expect(family.status(of: first, at: 129.9) == .rotated(sealedSuccessor: [1]))
        #expect(family.status(of: first, at: 130) == .spent)
    }

    @Test func clockBehindKeepsFamily() {
        let (first, second) = (token(), token())
        var family = RefreshFamily(key: Self.key, currentHash: first.hash)
        family.rotate(to: second, sealed: [1], at: 100)
        #expect(family.status(of: first, at: 95) == .rotated(sealedSuccessor: [1]))
    }

    @Test func successorIsForgottenAfterWindow() {
        let tokens = (0..<3).map { _ in token() }
        var family = RefreshFamily(key: Self.key, currentHash: tokens[0].hash)
        family.rotate(to: tokens[1], sealed: [1], at: 100)
        family.rotate(to: tokens[2], sealed: [2], at: 131)
        #expect(family.rotations.map(\.sealedSuccessor) == [[2]])
        #expect(family.status(of: tokens[0], at: 131) == .spent)
    }

    @Test func forgedTokenIsForeign() throws {
        let first = token()
        let family = RefreshFamily(key: Self.key, currentHash: first.hash)
        let stranger = RefreshToken(sessionID: Self.id, familyKey: [UInt8](repeating: 9, count: 32))
        #expect(family.status(of: stranger, at: 0) == .foreign)
    }

    @Test func rotationsAreBounded() {
        var last = token()
        var family = RefreshFamily(key: Self.key, currentHash: last.hash)
        let first = last
        for step in 0..<100 {
            last = token()
            family.rotate(to: last, sealed: [UInt8(step)], at: UnixTime(Double(step) / 10))
        }
        #expect(family.rotations.count == RefreshFamily.mostRotations)
        #expect(family.status(of: last, at: 10) == .current)
        #expect(family.status(of: first, at: 10) == .spent)
    }

    /// Against a model with the whole history.
    @Test(arguments: UInt64(0)..<20)
    func randomHistoryMatchesModel(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var now = UnixTime(1000)
        var tokens = [token()]
        var usedAt: [UnixTime] = []
        var family = RefreshFamily(key: Self.key, currentHash: tokens[0].hash)
        for _ in 0..<200 {
            now += Double.random(in: 0...12, using: &random)
            let index =
                Bool.random(using: &random) ? tokens.count - 1 : Int.random(in: 0..<tokens.count, using: &random)
            let status = family.status(of: tokens[index], at: now)
            if index == tokens.count - 1 {
                #expect(status == .current)
                tokens.append(token())
                usedAt.append(now)
                family.rotate(to: tokens[index + 1], sealed: tokens[index + 1].hash, at: now)
            } else if now < usedAt[index] + 30, usedAt.count - index <= RefreshFamily.mostRotations {
                #expect(status == .rotated(sealedSuccessor: tokens[index + 1].hash))
            } else {
                #expect(status == .spent)
            }
        }
        #expect(usedAt.count > 50)
    }
}
