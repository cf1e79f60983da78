import TestSupport
import Testing
import Time
import Verification

@testable import SharedState

@Suite struct KeySetStateTests {
    private let keySet: [UInt8]
    private let other: [UInt8]

    init() throws {
        keySet = try SampleKeys.keySet()
        other = try SampleKeys.keySet()
    }

    private func at(_ seconds: Double) -> ClockReading { ClockReading(monotonic: seconds, unix: 1_000_000 + seconds) }

    private func set(_ bytes: [UInt8], at seconds: Double, lifetime: Double = 3600) throws -> HeldKeySet {
        try HeldKeySet(SampleKeys.record(bytes, fetchedAt: 1_000_000 + seconds, lifetime: lifetime))
    }

    /// Fetched at 0, due at 2880 (80 % of an hour).
    private func fresh(lifetime: Double? = nil) throws -> KeySetState {
        var state = KeySetState(lifetime: lifetime)
        #expect(state.tick(at: 0) == .begin(.routine))
        let settled = state.finished(.fetched(try set(keySet, at: 0)), at: at(0), random: 0.5)
        #expect(settled.isChanged)
        return state
    }

    @Test func aMissingSetIsFetchedAtOnce() {
        var state = KeySetState()
        #expect(state.tick(at: 0) == .begin(.routine))
        #expect(state.tick(at: 0) == .wait(until: .infinity))
    }

    @Test func setIsDueBeforeItExpires() throws {
        var state = try fresh()
        #expect(state.tick(at: 0) == .wait(until: 2880))
        #expect(state.tick(at: 2879) == .wait(until: 2880))
        #expect(!state.isStale(at: 3599))
        #expect(state.tick(at: 2880) == .begin(.routine))
        #expect(state.isStale(at: 3600))
    }

    @Test(arguments: [(0.0, 2700.0), (1.0, 3060.0)]) func refreshTimesAreSpread(_ random: Double, _ due: Double)
        throws
    {
        var state = KeySetState()
        _ = state.adoptedWithoutRound(try set(keySet, at: 0), at: at(0), random: random)
        #expect(state.tick(at: 0) == .wait(until: due))
    }

    @Test func lifetimeOfTheSourceOverridesTheProviders() throws {
        var state = try fresh(lifetime: 86_400)
        #expect(state.tick(at: 0) == .wait(until: 69_120))
    }

    @Test func ageOfAStoredSetCounts() throws {
        var state = KeySetState()
        #expect(state.adoptedWithoutRound(try set(keySet, at: -1000), at: at(0), random: 0.5).isChanged)
        #expect(state.tick(at: 0) == .wait(until: 1880))
    }

    @Test func setFromTheFutureIsFetchedSoon() throws {
        var state = KeySetState()
        _ = state.adoptedWithoutRound(try set(keySet, at: 1_000_000, lifetime: 86_400), at: at(0), random: 0.5)
        #expect(state.tick(at: 0) == .wait(until: 240))
    }

    @Test func failuresBackOffUpToFiveMinutes() {
        var state = KeySetState()
        var now = 0.0
        for ceiling in [1.0, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300] {
            #expect(state.tick(at: now) == .begin(.routine))
            _ = state.finished(.failed, at: at(now), random: 1)
            #expect(state.tick(at: now) == .wait(until: now + ceiling))
            now += ceiling
        }
    }

    @Test func successEndsTheBackoff() throws {
        var state = KeySetState()
        _ = state.tick(at: 0)
        _ = state.finished(.failed, at: at(0), random: 1)
        _ = state.adoptedWithoutRound(try set(keySet, at: 0), at: at(0), random: 0.5)
        #expect(state.tick(at: 5) == .wait(until: 2880))
        #expect(state.failures == 0)
    }

    @Test func aSetIsUsedForSevenDaysAfterTheLastSuccess() throws {
        var state = try fresh()
        #expect(state.tick(at: 604_799) == .begin(.routine))
        _ = state.finished(.failed, at: at(604_799), random: 1)
        #expect(state.held != nil)
        #expect(state.tick(at: 604_799.5) == .wait(until: 604_800))
        #expect(state.tick(at: 604_800) == .expired)
        #expect(state.held == nil)
        #expect(state.tick(at: 604_800) == .begin(.routine))
    }

    @Test func unchangedKeysExtendTheLifetime() throws {
        var state = try fresh()
        _ = state.tick(at: 3000)
        let settled = state.finished(.fetched(try set(keySet, at: 3000)), at: at(3000), random: 0.5)
        #expect(settled == KeySetState.Settled())
        #expect(state.tick(at: 3000) == .wait(until: 5880))
    }

    @Test func withdrawnKeysAreAChange() throws {
        var state = try fresh()
        _ = state.tick(at: 3000)
        let empty = try set(Array(#"{"keys":[]}"#.utf8), at: 3000)
        #expect(state.finished(.fetched(empty), at: at(3000), random: 0.5).isChanged)
        #expect(state.held?.set.keys.keys.isEmpty == true)
    }

    @Test func requestForAMissingSetWaitsForTheFetch() throws {
        var state = KeySetState()
        #expect(state.requested(1, .missing, at: 0) == .tick)
        #expect(state.tick(at: 0) == .begin(.routine))
        #expect(state.requested(2, .unknownKey, at: 0) == .wait)
        let settled = state.finished(.fetched(try set(keySet, at: 0)), at: at(1), random: 0.5)
        #expect(settled == .init(isChanged: true, resumed: [1, 2], result: .decideAgain))
        #expect(state.requested(3, .missing, at: 2) == .result(.decideAgain))
    }

    @Test func requestDuringTheBackoffReportsTheNextAttempt() {
        var state = KeySetState()
        _ = state.tick(at: 0)
        #expect(state.requested(1, .missing, at: 0) == .wait)
        _ = state.finished(.failed, at: at(0), random: 1)
        _ = state.tick(at: 1)
        #expect(state.requested(2, .missing, at: 1) == .wait)
        let settled = state.finished(.failed, at: at(1), random: 0.9)
        #expect(settled == .init(resumed: [2], result: .unavailable(retryAfterSeconds: 2)))
        #expect(state.requested(3, .missing, at: 1.5) == .result(.unavailable(retryAfterSeconds: 2)))
    }

    @Test func waitersTimeOutAfterFiveSeconds() {
        var state = KeySetState()
        _ = state.tick(at: 0)
        _ = state.requested(1, .missing, at: 0)
        _ = state.requested(2, .missing, at: 1)
        #expect(state.firstDeadline == 5)
        #expect(state.waitersOverdue(at: 4.9) == [])
        #expect(state.waitersOverdue(at: 5) == [1])
        #expect(state.waitersOverdue(at: 6) == [2])
        #expect(state.firstDeadline == nil)
    }

    @Test func waitersAreLimited() {
        var state = KeySetState()
        for id in 0..<4096 { #expect(state.requested(UInt64(id), .missing, at: 0) == .tick) }
        #expect(state.requested(5000, .missing, at: 0) == .result(.unavailable(retryAfterSeconds: 1)))
    }
}

/// Tokens that name a key which the set does not have.
@Suite struct UnknownKeyStateTests {
    private let keySet: [UInt8]
    private let other: [UInt8]

    init() throws {
        keySet = try SampleKeys.keySet()
        other = try SampleKeys.keySet()
    }

    private func at(_ seconds: Double) -> ClockReading { ClockReading(monotonic: seconds, unix: 1_000_000 + seconds) }

    private func set(_ bytes: [UInt8], at seconds: Double) throws -> HeldKeySet {
        try HeldKeySet(SampleKeys.record(bytes, fetchedAt: 1_000_000 + seconds))
    }

    private func fresh() throws -> KeySetState {
        var state = KeySetState()
        _ = state.adoptedWithoutRound(try set(keySet, at: 0), at: at(0), random: 0.5)
        return state
    }

    @Test func unknownKeyIsFetchedForOnceAMinute() throws {
        var state = try fresh()
        #expect(state.requested(1, .unknownKey, at: 10) == .tick)
        #expect(state.tick(at: 10) == .begin(.unknownKey))
        #expect(state.requested(2, .unknownKey, at: 11) == .wait)
        let settled = state.finished(.fetched(try set(keySet, at: 11)), at: at(11), random: 0.5)
        #expect(settled == .init(resumed: [1, 2], result: .nothingNew))
        #expect(state.requested(3, .unknownKey, at: 69.9) == .result(.nothingNew))
        #expect(state.requested(4, .unknownKey, at: 70) == .tick)
        #expect(state.tick(at: 70) == .begin(.unknownKey))
    }

    @Test func newKeyResumesAllWaiters() throws {
        var state = try fresh()
        _ = state.requested(1, .unknownKey, at: 10)
        _ = state.tick(at: 10)
        let settled = state.finished(.fetched(try set(other, at: 10)), at: at(10), random: 0.5)
        #expect(settled == .init(isChanged: true, resumed: [1], result: .decideAgain))
    }

    @Test func aSetThatAnotherInstanceFetchedCostsNoCooldown() throws {
        var state = try fresh()
        _ = state.requested(1, .unknownKey, at: 10)
        _ = state.tick(at: 10)
        _ = state.finished(.found(try set(other, at: 9)), at: at(10), random: 0.5)
        #expect(state.requested(2, .unknownKey, at: 10) == .tick)
    }

    @Test func anotherInstancesCooldownIsCheckedAgainSoon() throws {
        var state = try fresh()
        _ = state.requested(1, .unknownKey, at: 10)
        _ = state.tick(at: 10)
        let settled = state.finished(.refused, at: at(10), random: 0.5)
        #expect(settled == .init(resumed: [1], result: .nothingNew))
        #expect(state.requested(2, .unknownKey, at: 19.9) == .result(.nothingNew))
        #expect(state.requested(3, .unknownKey, at: 20) == .tick)
    }

    @Test func aFailureForAnUnknownKeyDoesNotStartRetries() throws {
        var state = try fresh()
        _ = state.requested(1, .unknownKey, at: 10)
        _ = state.tick(at: 10)
        let settled = state.finished(.failed, at: at(10), random: 1)
        #expect(settled == .init(resumed: [1], result: .nothingNew))
        #expect(state.tick(at: 11) == .wait(until: 2880))
    }

    @Test func announcedSetResumesWaiters() throws {
        var state = try fresh()
        _ = state.requested(1, .unknownKey, at: 10)
        _ = state.tick(at: 10)
        #expect(state.adoptedWithoutRound(try set(keySet, at: 10), at: at(10), random: 0.5) == .init())
        let settled = state.adoptedWithoutRound(try set(other, at: 11), at: at(11), random: 0.5)
        #expect(settled == .init(isChanged: true, resumed: [1], result: .decideAgain))
        #expect(state.round == .unknownKey)
    }

    @Test func dueRefreshServesUnknownKeyRequests() throws {
        var state = try fresh()
        #expect(state.requested(1, .unknownKey, at: 2900) == .tick)
        #expect(state.tick(at: 2900) == .begin(.routine))
        let settled = state.finished(.fetched(try set(keySet, at: 2900)), at: at(2900), random: 0.5)
        #expect(settled.resumed == [1])
        #expect(state.tick(at: 2900) == .wait(until: 5780))
    }
}
