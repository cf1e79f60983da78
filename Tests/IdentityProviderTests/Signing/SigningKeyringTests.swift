import TestSupport
import Testing
import Time
import Verification

@testable import IdentityProvider
@testable import TokenSigning

/// The ring as a value.
struct SigningKeyringTests {
    private static let day = 86_400.0
    private static let start = UnixTime(1_800_000_000)
    private let times = SigningKeyTimes(rotateEvery: 90 * day, longestToken: 3600)
    private let ring: SigningKeyring

    init() throws {
        ring = try .first(.es256, at: Self.start)
    }

    @Test(arguments: [SignatureAlgorithm.es256, .rs256])
    func firstRingHasActiveAndNextKey(_ algorithm: SignatureAlgorithm) throws {
        let ring = try SigningKeyring.first(algorithm, at: Self.start)
        #expect(ring.states(at: Self.start, times).map(\.stage) == [.active, .next])
        #expect(ring.keys.map(\.keyID) == ring.keys.map(\.key.thumbprint))
        #expect(ring.keys.allSatisfy { $0.key.algorithms.contains(algorithm) })
        #expect(ring.due(at: Self.start, times).isEmpty)
        // Also for a clock that is behind.
        #expect(ring.active(at: Self.start - 60) == ring.keys[0])
    }

    @Test func symmetricAlgorithmHasNoRing() {
        #expect(throws: SigningError.algorithmDoesNotFit(.hs256)) { try SigningKeyring.first(.hs256, at: Self.start) }
    }

    @Test func keySignsForConfiguredTime() throws {
        let end = Self.start + times.rotateEvery
        #expect(ring.due(at: end - SigningKeyTimes.notice - 1, times).isEmpty)
        let settled = try ring.kept(at: end - SigningKeyTimes.notice, times)
        #expect(settled.keys.map(\.activeFrom) == [Self.start, end])
        #expect(settled.due(at: end - 1, times).isEmpty)
        #expect(settled.active(at: end - 0.001).keyID == ring.keys[0].keyID)
        #expect(settled.active(at: end).keyID == ring.keys[1].keyID)
    }

    @Test func nextKeyIsMadeAtTakeover() throws {
        let settled = try ring.rotated(at: Self.start + Self.day, times)
        let takeover = try #require(settled.keys.last?.activeFrom)
        #expect(settled.due(at: takeover - 1, times).isEmpty)
        #expect(settled.due(at: takeover, times) == [.makeNext])
        let kept = try settled.kept(at: takeover, times)
        #expect(kept.states(at: takeover, times).map(\.stage) == [.previous, .active, .next])
        #expect(kept.due(at: takeover, times).isEmpty)
    }

    @Test func keyIsPublishedOneHourBeforeSigning() throws {
        #expect(try ring.rotated(at: Self.start, times).keys[1].activeFrom == Self.start + 3600)
        #expect(try ring.rotated(at: Self.start + 3000, times).keys[1].activeFrom == Self.start + 3600)
        #expect(try ring.rotated(at: Self.start + 3500, times).keys[1].activeFrom == Self.start + 3800)
        // Even if keys rotate faster than that.
        let hasty = SigningKeyTimes(rotateEvery: 60, longestToken: 60)
        #expect(try ring.kept(at: Self.start, hasty).keys[1].activeFrom == Self.start + 3600)
    }

    @Test func settledRotationIsUnchanged() throws {
        let settled = try ring.rotated(at: Self.start + Self.day, times)
        #expect(try settled.rotated(at: Self.start + Self.day + 200, times) == settled)
    }

    @Test func newlyMadeKeyIsNotSettled() throws {
        let settled = try ring.rotated(at: Self.start + Self.day, times)
        let takeover = try #require(settled.keys.last?.activeFrom)
        let again = try settled.rotated(at: takeover, times)
        #expect(again.keys.count == 3 && again.keys[2].activeFrom == nil)
        #expect(try again.rotated(at: takeover, times).keys[2].activeFrom == takeover + 3600)
    }

    @Test func keyIsKeptUntilItsLastTokenExpires() throws {
        let settled = try ring.rotated(at: Self.start + Self.day, times)
        let takeover = try #require(settled.keys.last?.activeFrom)
        let end = takeover + times.longestToken + SigningKeyTimes.withoutStore + SigningKeyTimes.clockDifference
        let kept = try settled.kept(at: end - 1, times)
        #expect(kept.keys.first == settled.keys.first)
        #expect(kept.due(at: end - 1, times).isEmpty)
        #expect(kept.due(at: end, times) == [.forget(1)])
        #expect(try kept.kept(at: end, times).keys == Array(kept.keys.dropFirst()))
    }

    @Test func signingKeyIsNeverForgotten() throws {
        let late = try ring.kept(at: Self.start + 1000 * Self.day, times)
        #expect(late.keys.first == ring.keys.first)
        #expect(late.active(at: Self.start + 1000 * Self.day) == ring.keys.first)
    }

    @Test func planMatchesRotation() throws {
        let now = Self.start + Self.day
        let plan = ring.rotatePlan(at: now, times)
        let settled = try ring.rotated(at: now, times)
        #expect(plan.activeKeyID == ring.keys[0].keyID && plan.nextKeyID == ring.keys[1].keyID)
        #expect(plan.takesOverAt == settled.keys[1].activeFrom)
        #expect(plan.verifiesUntil == settled.states(at: now, times)[0].forgottenAt)
        #expect(!plan.isUnderWay)
        let later = settled.rotatePlan(at: now + 60, times)
        #expect(later.isUnderWay && later.takesOverAt == plan.takesOverAt)
        let bare = settled.rotatePlan(at: plan.takesOverAt, times)
        #expect(bare.nextKeyID == nil && bare.takesOverAt == plan.takesOverAt + 3600)
    }

    @Test func statesHaveTimesOfEachKey() throws {
        let settled = try ring.rotated(at: Self.start + Self.day, times)
        let states = settled.states(at: Self.start + Self.day, times)
        #expect(states.map(\.activeFrom) == settled.keys.map(\.activeFrom))
        #expect(states.map(\.retiredAt) == [settled.keys[1].activeFrom, nil])
        #expect(states[1].forgottenAt == nil)
    }
}

/// The stored ring.
struct SigningKeyringJSONTests {
    private let times = SigningKeyTimes(rotateEvery: 1000, longestToken: 60)

    @Test(arguments: [SignatureAlgorithm.es256, .rs256])
    func ringRoundTrips(_ algorithm: SignatureAlgorithm) throws {
        let ring = try SigningKeyring.first(algorithm, at: 1_800_000_000.25)
        let settled = try ring.rotated(at: 1_800_000_010.5, times)
        for ring in [ring, settled] { #expect(SigningKeyring(json: ring.json, algorithm) == ring) }
    }

    @Test func ringOfAnotherAlgorithmIsRejected() throws {
        let ring = try SigningKeyring.first(.es256, at: 1)
        #expect(SigningKeyring(json: ring.json, .rs256) == nil)
    }

    @Test func ringOutOfOrderIsRejected() throws {
        let ring = try SigningKeyring.first(.es256, at: 100)
        let settled = try ring.rotated(at: 100, times)
        #expect(SigningKeyring(algorithm: .es256, keys: []) == nil)
        #expect(SigningKeyring(algorithm: .es256, keys: ring.keys.reversed()) == nil)
        #expect(SigningKeyring(algorithm: .es256, keys: settled.keys.reversed()) == nil)
        #expect(SigningKeyring(algorithm: .es256, keys: [ring.keys[1]]) == nil)
        #expect(SigningKeyring(algorithm: .es256, keys: [settled.keys[0], settled.keys[0]]) == nil)
    }

    @Test func keyUnderAnotherKeyIDIsRejected() throws {
        let ring = try SigningKeyring.first(.es256, at: 1)
        let text = String(decoding: ring.json, as: UTF8.self)
        let swapped = text.replacing(ring.keys[0].keyID, with: ring.keys[1].keyID)
        #expect(swapped != text)
        #expect(SigningKeyring(json: Array(swapped.utf8), .es256) == nil)
    }

    @Test func mutatedRingIsReadOrRejected() throws {
        let ring = try SigningKeyring.first(.es256, at: 1_800_000_000)
        var random = SplitMix64(seed: 6)
        for _ in 0..<2000 {
            var json = ring.json
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: 0..<json.count, using: &random)
                if Bool.random(using: &random) {
                    json[index] = UInt8.random(in: .min ... .max, using: &random)
                } else {
                    json.remove(at: index)
                }
            }
            guard let read = SigningKeyring(json: json, .es256) else { continue }
            // Key IDs still match the keys.
            #expect(read.keys.allSatisfy { $0.keyID == $0.key.thumbprint })
        }
    }

    @Test func descriptionShowsNoPrivateKey() throws {
        let ring = try SigningKeyring.first(.es256, at: 1)
        var dumped = ""
        dump(ring, to: &dumped)
        #expect(!dumped.contains("PRIVATE KEY") && !"\(ring)".contains("PRIVATE KEY"))
        #expect(String(decoding: ring.json, as: UTF8.self).contains("PRIVATE KEY"))
    }
}
