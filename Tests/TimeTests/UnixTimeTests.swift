import TestSupport
import Testing
import Time

struct UnixTimeTests {
    @Test func laterTimesAreGreater() {
        let times = [.distantPast, UnixTime(-1), UnixTime(0), UnixTime(0.25), UnixTime(1_800_000_000), .distantFuture]
        for (place, time) in times.enumerated() {
            for (otherPlace, other) in times.enumerated() {
                #expect((time < other) == (place < otherPlace))
                #expect((time <= other) == (place <= otherPlace))
                #expect((time > other) == (place > otherPlace))
                #expect((time >= other) == (place >= otherPlace))
            }
        }
        #expect(times.shuffled().sorted() == times)
    }

    /// Both `now < end` and `now >= start` refuse such a time.
    @Test func nanPassesNoComparison() {
        let time = UnixTime(.nan)
        for other in [time, .distantPast, UnixTime(0), .distantFuture] {
            #expect(!(time < other) && !(time <= other) && !(time > other) && !(time >= other) && time != other)
            #expect(!(other < time) && !(other <= time) && !(other > time) && !(other >= time))
        }
    }

    @Test func secondsAreAddedAndSubtracted() {
        let time = UnixTime(1_800_000_000)
        #expect((time + 0.5).seconds == 1_800_000_000.5)
        #expect((time - 60).seconds == 1_799_999_940)
        #expect(time + 3600 - time == 3600.0)
        #expect(time - (time + 3600) == -3600.0)
    }

    @Test func distantFutureIsAfterEveryTime() {
        #expect(UnixTime.distantFuture - 1e300 == .distantFuture)
        #expect(UnixTime(1e300) < .distantFuture)
        #expect(UnixTime.distantPast + 1e300 == .distantPast)
    }
}
