import TestSupport
import Testing

@testable import Redis

@Suite struct BackoffTests {
    /// Always returns the greatest number: the wait has its maximum length.
    private struct Greatest: RandomNumberGenerator {
        mutating func next() -> UInt64 { .max }
    }

    @Test func maximumWaitDoublesUpToTheCap() {
        var backoff = Backoff(RedisRetry())
        var generator = Greatest()
        let waits = (0..<9).map { _ in backoff.next(using: &generator) }
        #expect(waits == [50, 100, 200, 400, 800, 1600, 3200, 5000, 5000].map { .milliseconds($0) })
        backoff.reset()
        #expect(backoff.next(using: &generator) == .milliseconds(50))
    }

    @Test func waitIsRandomUpToTheMaximum() {
        var generator = SplitMix64(seed: 1)
        let waits = (0..<1000).map { _ in
            var backoff = Backoff(RedisRetry())
            return backoff.next(using: &generator)
        }
        for tenth in 0..<10 {
            let part = Duration.milliseconds(5 * tenth)..<Duration.milliseconds(5 * (tenth + 1))
            #expect((60...140).contains(waits.count(where: part.contains)))
        }
    }

    @Test func permanentFailuresAreRetriedSlowly() {
        let backoff = Backoff(RedisRetry())
        var generator = SplitMix64(seed: 2)
        for _ in 0..<100 {
            #expect((.seconds(10)...Duration.seconds(20)).contains(backoff.nextWhenRefused(using: &generator)))
        }
    }

    @Test func anySettingsAndFailuresGiveAFiniteWait() {
        var retry = RedisRetry()
        retry.base = .seconds(Int64.max)
        retry.cap = .seconds(-1)
        retry.refused = .zero
        var (backoff, small) = (Backoff(retry), Backoff(RedisRetry()))
        var generator = SplitMix64(seed: 3)
        for _ in 0..<200 {
            #expect(backoff.next(using: &generator) >= .zero)
            #expect(small.next(using: &generator) <= .seconds(5))
        }
    }
}
