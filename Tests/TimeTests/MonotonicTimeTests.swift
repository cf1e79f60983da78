import TestSupport
import Testing
import Time

struct MonotonicTimeTests {
    @Test func laterTimesAreGreater() {
        let times = [.distantPast, .after(1), .after(1 << 53 + 1), .after(1 << 53 + 2), MonotonicTime.distantFuture]
        for (place, time) in times.enumerated() {
            for (otherPlace, other) in times.enumerated() {
                #expect((time < other) == (place < otherPlace))
                #expect((time >= other) == (place >= otherPlace))
            }
        }
    }

    @Test func nanosecondsAreAddedAndSubtracted() {
        let time = MonotonicTime.after(5_000_000_000)
        let second: UInt64 = 1_000_000_000
        #expect((time + second).nanoseconds == 6_000_000_000)
        #expect((time - second).nanoseconds == 4_000_000_000)
        #expect((time + second) - time == second)
    }

    /// A loop reads its clock once for many requests, so that what began in the meantime may be later than "now".
    @Test func spanToAnEarlierTimeIsZero() {
        let time = MonotonicTime.after(5)
        #expect(time - (time + 1) == 0 as UInt64)
        #expect(MonotonicTime.distantPast - MonotonicTime.distantFuture == 0 as UInt64)
    }

    @Test func timeBeforeTheClockBeganIsItsBeginning() {
        #expect(MonotonicTime.after(5) - (6 as UInt64) == .distantPast)
        #expect(MonotonicTime.after(5) - (5 as UInt64) == .distantPast)
    }

    @Test func clockGoesForward() {
        let first = Clock.monotonic()
        let second = Clock.monotonic()
        #expect(first <= second && first > .distantPast)
    }
}
