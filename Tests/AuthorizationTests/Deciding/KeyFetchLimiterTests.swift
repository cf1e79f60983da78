import Testing
import Time
import UpstreamTestSupport

@testable import Authorization

/// When a loop requests keys that it lacks.
struct KeyFetchLimiterTests {
    private static let now = RequestPipeline.now

    @Test func nothingNewMeansASecondOfQuiet() {
        var questions = KeyFetchLimiter(count: 2)
        #expect(questions.mayFetch(0, at: Self.now))
        questions.fetched(0, .nothingNew, at: Self.now)
        #expect(!questions.mayFetch(0, at: Self.now + 0.9))
        #expect(questions.mayFetch(0, at: Self.now + 1))
        #expect(questions.mayFetch(1, at: Self.now), "another source is another matter")
    }

    @Test func whoIsToComeBackLaterIsNotAskedBefore() {
        var questions = KeyFetchLimiter(count: 1)
        questions.fetched(0, .unavailable(retryAfterSeconds: 5), at: Self.now)
        #expect(!questions.mayFetch(0, at: Self.now + 0.1))
        #expect(!questions.mayFetch(0, at: Self.now + 4.9))
        #expect(questions.retryAfterSeconds(0, at: Self.now + 0.1) == 5)
        #expect(questions.mayFetch(0, at: Self.now + 5))
        #expect(questions.retryAfterSeconds(0, at: Self.now + 60) == 1)
    }

    @Test func noWaitIsLongerThanHalfAMinute() {
        var questions = KeyFetchLimiter(count: 1)
        questions.fetched(0, .unavailable(retryAfterSeconds: 3600), at: Self.now)
        #expect(questions.retryAfterSeconds(0, at: Self.now) == 30)
        #expect(questions.mayFetch(0, at: Self.now + 30))
    }

    @Test func otherKeysEndTheQuiet() {
        var questions = KeyFetchLimiter(count: 1)
        questions.fetched(0, .nothingNew, at: Self.now)
        questions.fetched(0, .decideAgain, at: Self.now)
        #expect(questions.mayFetch(0, at: Self.now))
    }

    @Test func clockThatIsSetBackDoesNotSilence() {
        var questions = KeyFetchLimiter(count: 1)
        questions.fetched(0, .unavailable(retryAfterSeconds: 30), at: Self.now)
        #expect(questions.mayFetch(0, at: Self.now - 3600))
    }
}
