import TestSupport
import Testing
import Time
import Verification

@testable import SharedState

/// The known outcomes of opaque tokens, and when the server is called.
struct IntrospectionStateTests {
    private static let now = HandClock.start
    private let box = Ledger()

    /// A reference, since expectations may not mutate a value.
    private final class Ledger {
        var state = IntrospectionState()
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
        switch box.state.lookUp(digest, isAhead: isAhead, at: Self.now + seconds) {
        case .known(let outcome): outcome.text
        case .underWay: "under way"
        case .call: "call"
        }
    }

    private static let failure = VerificationFailure.malformedOpaque

    @Test func oneCallAtATimeForEachToken() throws {
        #expect(reply(1) == "call")
        #expect(reply(1) == "under way")
        #expect(reply(2) == "call")
        box.state.succeeded([1], try Self.active(), at: Self.now)
        #expect(reply(1) == "alice")
        #expect(reply(2) == "under way")
    }

    @Test func outcomeIsUsedForItsLifetime() throws {
        box.state.succeeded([1], try Self.active(), at: Self.now + 4)
        #expect(reply(1, after: 29.9) == "alice")
        #expect(reply(1, after: 30) == "call")
    }

    @Test func aheadRequestNeedsAYoungOutcome() throws {
        box.state.succeeded([1], try Self.active(), at: Self.now)
        #expect(reply(1, isAhead: true, after: 23.9) == "alice")
        #expect(reply(1, isAhead: true, after: 24) == "call")
        #expect(reply(1, after: 24) == "alice")
        box.state.succeeded([1], try Self.active(asked: Self.now + 24), at: Self.now + 24)
        #expect(reply(1, isAhead: true, after: 25) == "alice")
    }

    @Test func refusalReplacesAnActiveOutcome() throws {
        box.state.succeeded([1], try Self.active(), at: Self.now)
        box.state.succeeded([1], .refused(Self.failure, until: Self.now + 5), at: Self.now)
        #expect(reply(1, after: 4.9) == "malformed_opaque")
        #expect(reply(1, after: 5) == "call")
        box.state.succeeded([1], try Self.active(asked: Self.now + 5), at: Self.now + 5)
        #expect(reply(1, after: 6) == "alice")
    }

    /// - Returns: The outcome for the waiting requests.
    @discardableResult
    private func fail(_ name: UInt8, _ trouble: IntrospectionFailure, after seconds: Double = 0) -> String {
        box.state.failed([name], trouble, at: Self.now + seconds).text
    }

    @Test func serverWideFailureStopsCallsForASecond() throws {
        for trouble in [IntrospectionFailure.clientRefused, .serverFailed] {
            box.state = IntrospectionState()
            #expect(fail(1, trouble) == "unavailable")
            #expect(reply(2) == "unavailable")
            #expect(reply(2, after: 0.9) == "unavailable")
            #expect(reply(2, after: 1) == "call")
            fail(2, trouble, after: 1)
            box.state.succeeded([3], .refused(Self.failure, until: Self.now + 5), at: Self.now + 1)
            #expect(reply(4, after: 1) == "call")
        }
    }

    @Test func clockSetBackCausesAnotherCall() {
        fail(1, .serverFailed)
        #expect(reply(2, after: -3600) == "call")
    }

    @Test(arguments: [IntrospectionFailure.forbidden, .unexpectedStatus, .garbledAnswer])
    func failureOfOneTokenDoesNotAffectOthers(trouble: IntrospectionFailure) {
        for name in 1...UInt8(9) { #expect(fail(name, trouble) == "unavailable for this one") }
        #expect(reply(1) == "unavailable for this one")
        #expect(reply(10) == "call")
        #expect(reply(1, after: 1) == "call")
    }

    /// A client may send such a token any number of times.
    @Test(arguments: [IntrospectionFailure.network, .timeout, .proxyFailed])
    func oneFailingTokenDoesNotBlockOthers(trouble: IntrospectionFailure) throws {
        for second in 0..<10 {
            #expect(fail(1, trouble, after: Double(second)) == "unavailable for this one")
            #expect(reply(1, after: Double(second)) == "unavailable for this one")
        }
        fail(2, trouble, after: 10)
        #expect(reply(7, after: 10) == "call")
        // A response in between shows that the server works.
        box.state.succeeded([7], .refused(Self.failure, until: Self.now + 20), at: Self.now + 10)
        fail(3, trouble, after: 10)
        fail(4, trouble, after: 10)
        #expect(reply(8, after: 10) == "call")
        box.state.succeeded([8], try Self.active(), at: Self.now + 10)
        #expect(fail(3, trouble, after: 10) == "unavailable for this one")
    }

    @Test(arguments: [IntrospectionFailure.network, .timeout, .proxyFailed])
    func severalFailingTokensInARowCountForAll(trouble: IntrospectionFailure) {
        fail(1, trouble)
        fail(2, trouble)
        #expect(reply(7) == "call")
        #expect(fail(3, trouble) == "unavailable")
        #expect(reply(8) == "unavailable")
        #expect(reply(8, after: 1) == "call")
        // It has not answered since.
        #expect(fail(8, trouble, after: 1) == "unavailable")
        #expect(reply(9, after: 1) == "unavailable")
    }

    @Test func formerlyActiveTokensAreProbedOneAtATime() throws {
        for name in 1...UInt8(3) { box.state.succeeded([name], try Self.active(asked: Self.now - 60), at: Self.now) }
        // The loops still send requests.
        #expect(fail(9, .serverFailed) == "unavailable for this one")
        #expect(reply(8) == "unavailable for this one")
        #expect(reply(1) == "call")
        #expect(reply(1) == "under way")
        #expect(reply(2) == "unavailable for this one")
        fail(1, .timeout, after: 0.5)
        // Not at once after a try that failed.
        #expect(reply(2, after: 0.55) == "unavailable for this one")
        #expect(reply(2, after: 0.7) == "call")
        #expect(reply(3, after: 0.7) == "unavailable for this one")
        box.state.succeeded([2], try Self.active(asked: Self.now + 0.7), at: Self.now + 0.7)
        #expect(reply(3, after: 0.7) == "call")
        #expect(reply(8, after: 0.7) == "call")
    }

    @Test func knownOutcomesAreUsedWhileTheServerIsAway() throws {
        box.state.succeeded([1], try Self.active(), at: Self.now)
        fail(2, .serverFailed, after: 29.5)
        #expect(reply(1, after: 29.9) == "alice")
        #expect(reply(1, after: 30) == "call")
        fail(1, .serverFailed, after: 30)
        #expect(reply(1, after: 30) == "unavailable for this one")
    }

    @Test func floodOfUnknownTokensLeavesReservedCalls() throws {
        box.state.succeeded([200, 0], try Self.active(asked: Self.now - 60), at: Self.now - 60)
        for number in 0..<IntrospectionState.mostConcurrent { #expect(reply([UInt8(number)]) == "call") }
        #expect(reply([255, 0]) == "overloaded")
        #expect(reply([200, 0]) == "call")
        box.state.succeeded([7], .refused(Self.failure, until: Self.now), at: Self.now)
        #expect(reply([255, 0]) == "overloaded")
        box.state.succeeded([8], .refused(Self.failure, until: Self.now), at: Self.now)
        #expect(reply([255, 0]) == "call")
    }

    @Test func refusedTokensEvictNoActiveOne() throws {
        box.state.succeeded([1], try Self.active(), at: Self.now)
        for number in 0..<(2 * IntrospectionState.mostRemembered) {
            let digest = [2, UInt8(number & 255), UInt8(number >> 8)]
            box.state.succeeded(digest, .refused(Self.failure, until: Self.now + 30), at: Self.now)
        }
        #expect(reply(1) == "alice")
        #expect(reply([2, 0, 0]) == "call")
        #expect(reply([2, 255, 63]) == "malformed_opaque")
    }

    @Test func shortLivedOutcomeIsNotRefreshedAhead() {
        #expect(IntrospectionLifetime(cache: 0, asked: 5).until == 5)
        #expect(IntrospectionLifetime(cache: 0, asked: 5).aheadFrom == .distantFuture)
        #expect(IntrospectionLifetime(cache: 10, asked: 5) == IntrospectionLifetime(cache: 10, asked: 5))
        #expect(IntrospectionLifetime(cache: 10, asked: 5).aheadFrom == 13)
    }
}
