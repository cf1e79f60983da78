import Tenants
import TestSupport
import Testing
import Time

@testable import Authorization

@Suite struct AllowanceTests {
    private static let start: UInt64 = 1_800_000_000_000_000

    static func limit(
        _ count: Int,
        _ period: Duration,
        burst: Int,
        isShared: Bool = false,
        ahead: Int? = nil
    ) -> RateLimit {
        RateLimit(key: .address, count: count, period: period, burst: burst, isShared: isShared, ahead: ahead)
    }

    @Test func burstIsAllowedThenOneEachInterval() {
        let allowance = Allowance(Self.limit(10, .seconds(1), burst: 3))
        #expect(allowance.interval == 100_000)
        #expect(allowance.capacity == 300_000)
        var arrival = Self.start
        for left in [3, 2, 1] as [UInt64] {
            #expect(allowance.remaining(arrival, at: Self.start) == left)
            #expect(allowance.allows(arrival, at: Self.start))
            arrival += allowance.interval
        }
        #expect(allowance.remaining(arrival, at: Self.start) == 0)
        #expect(allowance.wait(arrival, at: Self.start) == 100_000)
        #expect(allowance.wait(arrival, at: Self.start + 99_999) == 1)
        #expect(allowance.wait(arrival, at: Self.start + 100_000) == 0)
    }

    @Test func intervalsAreRoundedUp() {
        #expect(Allowance(Self.limit(3, .seconds(1), burst: 1)).interval == 333_334)
        #expect(Allowance(Self.limit(1000, .seconds(3600), burst: 1)).interval == 3_600_000)
        #expect(Allowance(Self.limit(100_000, .seconds(1), burst: 1)).interval == 10)
    }

    @Test func clockSetBackBlocksForAtMostOneBurst() {
        let allowance = Allowance(Self.limit(10, .seconds(1), burst: 3))
        let arrival = allowance.bearing(Self.start + 3_600_000_000, at: Self.start)
        #expect(arrival == Self.start + 300_000)
        #expect(allowance.wait(arrival, at: Self.start) == 100_000)
    }

    /// Whatever comes when: in no stretch of time are there more than the burst and what the rate gives.
    @Test func anyPeriodAllowsAtMostBurstAndRate() {
        var random = SplitMix64(seed: 7)
        for _ in 0..<40 {
            let limit = Self.limit(
                Int.random(in: 1...50, using: &random),
                .seconds(1),
                burst: .random(in: 1...20, using: &random)
            )
            let allowance = Allowance(limit)
            var (now, arrival) = (Self.start, UInt64(0))
            var admitted: [UInt64] = []
            for _ in 0..<400 {
                now +=
                    UInt64.random(in: 0...(2 * allowance.interval), using: &random)
                    >> UInt64.random(in: 0...6, using: &random)
                let bearing = allowance.bearing(arrival, at: now)
                guard allowance.allows(bearing, at: now) else { continue }
                arrival = bearing + allowance.interval
                admitted.append(now)
            }
            #expect(LimitBound.worst(admitted, interval: allowance.interval) <= Double(limit.burst))
        }
    }
}

/// How much of a burst some admitted requests need.
enum LimitBound {
    /// The most by which a stretch of time has more requests than its rate gives.
    static func worst(_ times: [UInt64], interval: UInt64) -> Double {
        var (worst, leastBefore) = (0.0, Double.infinity)
        for (number, time) in times.sorted().enumerated() {
            let due = Double(time - (times.min() ?? 0)) / Double(interval)
            leastBefore = min(leastBefore, Double(number) - due)
            worst = max(worst, Double(number + 1) - due - leastBefore)
        }
        return worst
    }
}
