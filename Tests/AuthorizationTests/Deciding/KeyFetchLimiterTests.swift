import Testing
import Time
import UpstreamTestSupport

@testable import Authorization
@testable import Tenants

/// When a loop requests keys that it lacks.
struct KeyFetchLimiterTests {
    private static let now = RequestPipeline.now
    private static let one = RemoteKeySource(location: .discovery(issuer: "https://one.test"))
    private static let other = RemoteKeySource(location: .discovery(issuer: "https://other.test"))

    @Test func nothingNewMeansASecondOfQuiet() {
        var limiter = KeyFetchLimiter()
        #expect(limiter.mayFetch(Self.one, at: Self.now))
        limiter.fetched(Self.one, .nothingNew, at: Self.now)
        #expect(!limiter.mayFetch(Self.one, at: Self.now + 0.9))
        #expect(limiter.mayFetch(Self.one, at: Self.now + 1))
        #expect(limiter.mayFetch(Self.other, at: Self.now), "another source is another matter")
    }

    @Test func whoIsToComeBackLaterIsNotAskedBefore() {
        var limiter = KeyFetchLimiter()
        limiter.fetched(Self.one, .unavailable(retryAfterSeconds: 5), at: Self.now)
        #expect(!limiter.mayFetch(Self.one, at: Self.now + 0.1))
        #expect(!limiter.mayFetch(Self.one, at: Self.now + 4.9))
        #expect(limiter.retryAfterSeconds(Self.one, at: Self.now + 0.1) == 5)
        #expect(limiter.mayFetch(Self.one, at: Self.now + 5))
        #expect(limiter.retryAfterSeconds(Self.one, at: Self.now + 60) == 1)
    }

    @Test func noWaitIsLongerThanHalfAMinute() {
        var limiter = KeyFetchLimiter()
        limiter.fetched(Self.one, .unavailable(retryAfterSeconds: 3600), at: Self.now)
        #expect(limiter.retryAfterSeconds(Self.one, at: Self.now) == 30)
        #expect(limiter.mayFetch(Self.one, at: Self.now + 30))
    }

    @Test func otherKeysEndTheQuiet() {
        var limiter = KeyFetchLimiter()
        limiter.fetched(Self.one, .nothingNew, at: Self.now)
        limiter.fetched(Self.one, .decideAgain, at: Self.now)
        #expect(limiter.mayFetch(Self.one, at: Self.now))
    }

    @Test func clockThatIsSetBackDoesNotSilence() {
        var limiter = KeyFetchLimiter()
        limiter.fetched(Self.one, .unavailable(retryAfterSeconds: 30), at: Self.now)
        #expect(limiter.mayFetch(Self.one, at: Self.now - 3600))
    }

    /// Sources that configurations no longer have do not pile up, and none that is still quiet is forgotten.
    @Test func quietSourceOutlivesThousandsOfOthers() {
        var limiter = KeyFetchLimiter()
        limiter.fetched(Self.one, .unavailable(retryAfterSeconds: 30), at: Self.now)
        for number in 0..<3000 {
            let source = RemoteKeySource(location: .discovery(issuer: "https://\(number).test"))
            limiter.fetched(source, .nothingNew, at: Self.now + Double(number) / 200)
        }
        #expect(!limiter.mayFetch(Self.one, at: Self.now + 15))
        #expect(limiter.count <= 1025)
    }
}
