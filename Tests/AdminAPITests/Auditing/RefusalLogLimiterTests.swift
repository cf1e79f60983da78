import Testing
import Time

@testable import AdminAPI

@Suite struct RefusalLogLimiterTests {
    @Test func oneLineASecondCountsTheSkipped() {
        var limiter = RefusalLogLimiter()
        let start = MonotonicTime.after(5_000_000_000)
        let admitted = [start, start + 1, start + 999_999_999, start + 1_000_000_000, start + 1_500_000_000]
            .map { limiter.admit(at: $0) }
        #expect(admitted == [0, nil, nil, 2, nil])
        #expect(limiter.admit(at: start + 60_000_000_000) == 1)
        #expect(limiter.admit(at: start + 62_000_000_000) == 0)
    }
}
