import TestSupport
import Testing
import Time
import Verification

@testable import SharedState

/// What is remembered of opaque tokens, and when a server is asked.
struct IntrospectionStateTests {
    private static let now = HandClock.start
    private let ledger = Ledger()

    /// Expectations may not change what they look at, and a question does.
    private final class Ledger {
        var book = IntrospectionState()
    }

    private static func active(asked: UnixTime = now, cache: Double = 30) throws -> IntrospectionOutcome {
        let answer = try #require(IntrospectionResponse(Array(#"{"active":true,"sub":"alice"}"#.utf8)))
        let principal = try answer.principal(of: [1], IntrospectionPolicy(issuer: "i"), at: now)
        return .active(principal, IntrospectionLifetime(cache: cache, asked: asked))
    }

    private func reply(_ name: UInt8, isAhead: Bool = false, after seconds: Double = 0) -> String {
        reply([name], isAhead: isAhead, after: seconds)
    }

    private func reply(_ digest: [UInt8], isAhead: Bool = false, after seconds: Double = 0) -> String {
        switch ledger.book.question(digest, isAhead: isAhead, at: Self.now + seconds) {
        case .known(let outcome): outcome.text
        case .underWay: "under way"
        case .ask: "ask"
        }
    }

    private static let failure = VerificationFailure.malformedOpaque

    @Test func aTokenIsAskedAboutOnceAtATime() throws {
        #expect(reply(1) == "ask")
        #expect(reply(1) == "under way")
        #expect(reply(2) == "ask")
        ledger.book.answered([1], try Self.active(), at: Self.now)
        #expect(reply(1) == "alice")
        #expect(reply(2) == "under way")
    }

    @Test func anAnswerIsBelievedForItsTimeAndNotLonger() throws {
        ledger.book.answered([1], try Self.active(), at: Self.now + 4)
        #expect(reply(1, after: 29.9) == "alice")
        #expect(reply(1, after: 30) == "ask")
    }

    @Test func whoAsksAheadIsContentWithAYoungAnswerOnly() throws {
        ledger.book.answered([1], try Self.active(), at: Self.now)
        #expect(reply(1, isAhead: true, after: 23.9) == "alice")
        #expect(reply(1, isAhead: true, after: 24) == "ask")
        #expect(reply(1, after: 24) == "alice")
        ledger.book.answered([1], try Self.active(asked: Self.now + 24), at: Self.now + 24)
        #expect(reply(1, isAhead: true, after: 25) == "alice")
    }

    @Test func aRefusalTakesTheGoodAnswersPlace() throws {
        ledger.book.answered([1], try Self.active(), at: Self.now)
        ledger.book.answered([1], .refused(Self.failure, until: Self.now + 5), at: Self.now)
        #expect(reply(1, after: 4.9) == "malformed_opaque")
        #expect(reply(1, after: 5) == "ask")
        ledger.book.answered([1], try Self.active(asked: Self.now + 5), at: Self.now + 5)
        #expect(reply(1, after: 6) == "alice")
    }

    /// Gives what those who have asked are told.
    @discardableResult
    private func fail(_ name: UInt8, _ trouble: IntrospectionFailure, after seconds: Double = 0) -> String {
        ledger.book.failed([name], trouble, at: Self.now + seconds).text
    }

    @Test func aServerThatSaysSoIsLeftAloneForASecond() throws {
        for trouble in [IntrospectionFailure.clientRefused, .serverFailed] {
            ledger.book = IntrospectionState()
            #expect(fail(1, trouble) == "unavailable")
            #expect(reply(2) == "unavailable")
            #expect(reply(2, after: 0.9) == "unavailable")
            #expect(reply(2, after: 1) == "ask")
            fail(2, trouble, after: 1)
            ledger.book.answered([3], .refused(Self.failure, until: Self.now + 5), at: Self.now + 1)
            #expect(reply(4, after: 1) == "ask")
        }
    }

    @Test func aClockThatIsSetBackAsksAgain() {
        fail(1, .serverFailed)
        #expect(reply(2, after: -3600) == "ask")
    }

    @Test(arguments: [IntrospectionFailure.forbidden, .unexpectedStatus, .garbledAnswer])
    func whatOneTokenMeetsIsNotHeldAgainstOthers(trouble: IntrospectionFailure) {
        for name in 1...UInt8(9) { #expect(fail(name, trouble) == "unavailable for this one") }
        #expect(reply(1) == "unavailable for this one")
        #expect(reply(10) == "ask")
        #expect(reply(1, after: 1) == "ask")
    }

    /// Whoever has such a token may send it as often as he likes.
    @Test(arguments: [IntrospectionFailure.network, .timeout, .proxyFailed])
    func oneTokenThatBreaksTheServerSilencesNobody(trouble: IntrospectionFailure) throws {
        for second in 0..<10 {
            #expect(fail(1, trouble, after: Double(second)) == "unavailable for this one")
            #expect(reply(1, after: Double(second)) == "unavailable for this one")
        }
        fail(2, trouble, after: 10)
        #expect(reply(7, after: 10) == "ask")
        // An answer between shows that the server is there.
        ledger.book.answered([7], .refused(Self.failure, until: Self.now + 20), at: Self.now + 10)
        fail(3, trouble, after: 10)
        fail(4, trouble, after: 10)
        #expect(reply(8, after: 10) == "ask")
        ledger.book.answered([8], try Self.active(), at: Self.now + 10)
        #expect(fail(3, trouble, after: 10) == "unavailable for this one")
    }

    @Test(arguments: [IntrospectionFailure.network, .timeout, .proxyFailed])
    func severalTokensInARowAreTheServersFailure(trouble: IntrospectionFailure) {
        fail(1, trouble)
        fail(2, trouble)
        #expect(reply(7) == "ask")
        #expect(fail(3, trouble) == "unavailable")
        #expect(reply(8) == "unavailable")
        #expect(reply(8, after: 1) == "ask")
        // It has not answered since.
        #expect(fail(8, trouble, after: 1) == "unavailable")
        #expect(reply(9, after: 1) == "unavailable")
    }

    @Test func tokensThatWereGoodAreTriedOneAtATimeWhileAllOthersWait() throws {
        for name in 1...UInt8(3) { ledger.book.answered([name], try Self.active(asked: Self.now - 60), at: Self.now) }
        // The loops are not told to ask no more.
        #expect(fail(9, .serverFailed) == "unavailable for this one")
        #expect(reply(8) == "unavailable for this one")
        #expect(reply(1) == "ask")
        #expect(reply(1) == "under way")
        #expect(reply(2) == "unavailable for this one")
        fail(1, .timeout, after: 0.5)
        // Not at once after a try that failed.
        #expect(reply(2, after: 0.55) == "unavailable for this one")
        #expect(reply(2, after: 0.7) == "ask")
        #expect(reply(3, after: 0.7) == "unavailable for this one")
        ledger.book.answered([2], try Self.active(asked: Self.now + 0.7), at: Self.now + 0.7)
        #expect(reply(3, after: 0.7) == "ask")
        #expect(reply(8, after: 0.7) == "ask")
    }

    @Test func answersInHandStandWhileTheServerIsAway() throws {
        ledger.book.answered([1], try Self.active(), at: Self.now)
        fail(2, .serverFailed, after: 29.5)
        #expect(reply(1, after: 29.9) == "alice")
        #expect(reply(1, after: 30) == "ask")
        fail(1, .serverFailed, after: 30)
        #expect(reply(1, after: 30) == "unavailable for this one")
    }

    @Test func aFloodOfUnknownTokensLeavesRoomForThoseThatWereGood() throws {
        ledger.book.answered([200, 0], try Self.active(asked: Self.now - 60), at: Self.now - 60)
        for number in 0..<IntrospectionState.mostUnderWay { #expect(reply([UInt8(number)]) == "ask") }
        #expect(reply([255, 0]) == "overloaded")
        #expect(reply([200, 0]) == "ask")
        ledger.book.answered([7], .refused(Self.failure, until: Self.now), at: Self.now)
        #expect(reply([255, 0]) == "overloaded")
        ledger.book.answered([8], .refused(Self.failure, until: Self.now), at: Self.now)
        #expect(reply([255, 0]) == "ask")
    }

    @Test func refusedTokensPushOutNoGoodOne() throws {
        ledger.book.answered([1], try Self.active(), at: Self.now)
        for number in 0..<(2 * IntrospectionState.mostRemembered) {
            let digest = [2, UInt8(number & 255), UInt8(number >> 8)]
            ledger.book.answered(digest, .refused(Self.failure, until: Self.now + 30), at: Self.now)
        }
        #expect(reply(1) == "alice")
        #expect(reply([2, 0, 0]) == "ask")
        #expect(reply([2, 255, 63]) == "malformed_opaque")
    }

    @Test func nothingIsAskedAheadOfWhatIsSoonForgotten() {
        #expect(IntrospectionLifetime(cache: 0, asked: 5).until == 5)
        #expect(IntrospectionLifetime(cache: 0, asked: 5).aheadFrom == .distantFuture)
        #expect(IntrospectionLifetime(cache: 10, asked: 5) == IntrospectionLifetime(cache: 10, asked: 5))
        #expect(IntrospectionLifetime(cache: 10, asked: 5).aheadFrom == 13)
    }
}
