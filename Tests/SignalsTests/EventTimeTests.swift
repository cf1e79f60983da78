import Testing
import Time

@testable import Signals

@Suite struct EventTimeTests {
    private let now = UnixTime(1_800_000_000)
    private let issuedAt = UnixTime(1_799_999_990)

    @Test func withoutATimeTheTokensCounts() {
        #expect(EventTime.bounded(nil, issuedAt: issuedAt, now: now) == issuedAt)
    }

    @Test func timeInTheFutureIsNow() {
        #expect(EventTime.bounded(1_900_000_000, issuedAt: issuedAt, now: now) == now)
        #expect(EventTime.bounded(nil, issuedAt: now + 60, now: now) == now)
    }

    @Test func ancientTimeIsSevenDaysBeforeTheToken() {
        for ancient in [0, -1e300, 1_700_000_000] {
            #expect(EventTime.bounded(ancient, issuedAt: issuedAt, now: now) == issuedAt - 7 * 86_400)
        }
    }

    @Test func millisecondsAreRead() {
        #expect(EventTime.bounded(1_799_999_980_500, issuedAt: issuedAt, now: now) == UnixTime(1_799_999_980.5))
    }
}
