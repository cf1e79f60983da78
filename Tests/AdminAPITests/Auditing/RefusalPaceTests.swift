import Testing
import Time

@testable import AdminAPI

@Suite struct RefusalPaceTests {
    @Test func tellsOneASecondAndHowManyItPassedOver() {
        var pace = RefusalPace()
        let start = MonotonicTime.after(5_000_000_000)
        let told = [start, start + 1, start + 999_999_999, start + 1_000_000_000, start + 1_500_000_000]
            .map { pace.tell(at: $0) }
        #expect(told == [0, nil, nil, 2, nil])
        #expect(pace.tell(at: start + 60_000_000_000) == 1)
        #expect(pace.tell(at: start + 62_000_000_000) == 0)
    }
}
