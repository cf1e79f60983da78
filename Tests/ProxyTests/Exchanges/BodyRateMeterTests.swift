import TestSupport
import Testing
import Time
import Upstream

@testable import Proxy

/// The minimum rate of a body, with a clock that the test sets.
struct BodyRateMeterTests {
    private static let second: UInt64 = 1_000_000_000

    @Test func firstSecondsAreExempt() {
        var meter = BodyRateMeter(rate: 1024)
        meter.update(isWaiting: true, bytes: 0, at: .after(5 * Self.second))
        #expect(meter.deadline == .after(15 * Self.second))
        meter.update(isWaiting: true, bytes: 10 * 1024, at: .after(14 * Self.second))
        #expect(meter.deadline == .after(15 * Self.second))
    }

    @Test func everyByteExtendsDeadline() {
        var meter = BodyRateMeter(rate: 1024)
        meter.update(isWaiting: true, bytes: 0, at: 0)
        meter.update(isWaiting: true, bytes: 20 * 1024, at: .after(9 * Self.second))
        #expect(meter.deadline == .after(20 * Self.second))
        meter.update(isWaiting: true, bytes: 20 * 1024, at: .after(19 * Self.second))
        #expect(meter.deadline == .after(20 * Self.second))
    }

    @Test func idleTimeDoesNotCount() {
        var meter = BodyRateMeter(rate: 1024)
        meter.update(isWaiting: true, bytes: 0, at: 0)
        meter.update(isWaiting: false, bytes: 0, at: .after(4 * Self.second))
        #expect(meter.deadline == WheelTimer.never)
        meter.update(isWaiting: true, bytes: 0, at: .after(100 * Self.second))
        #expect(meter.deadline == .after(106 * Self.second))
    }

    @Test func noDeadlineWithoutRate() {
        var meter = BodyRateMeter(rate: 0)
        meter.update(isWaiting: true, bytes: 0, at: 0)
        #expect(meter.deadline == WheelTimer.never)
    }

    @Test func extremeCountsDoNotOverflow() {
        var meter = BodyRateMeter(rate: 1)
        meter.update(isWaiting: true, bytes: .max, at: .distantFuture - 1)
        #expect(meter.deadline >= .distantFuture - 1)
        meter.update(isWaiting: false, bytes: -5, at: 0)
        #expect(meter.bytes == .max)
    }

    /// Against the definition: after 10 s of waiting the bytes must be at least the rate times the time waited.
    @Test func deadlineIsWhenAverageFallsBelowRate() {
        var random = SplitMix64(seed: 17)
        for _ in 0..<200 {
            let rate = Int.random(in: 1...100_000, using: &random)
            var meter = BodyRateMeter(rate: rate)
            var (now, waited, bytes): (MonotonicTime, UInt64, Int) = (0, 0, 0)
            var isWaiting = false
            for _ in 0..<50 {
                let step = UInt64.random(in: 0...3 * Self.second, using: &random)
                now += step
                if isWaiting { waited += step }
                isWaiting = Bool.random(using: &random)
                bytes += Int.random(in: 0...rate * 3, using: &random)
                meter.update(isWaiting: isWaiting, bytes: bytes, at: now)
                guard isWaiting else {
                    #expect(meter.deadline == WheelTimer.never)
                    continue
                }
                let isLate = { (at: MonotonicTime) in
                    let total = waited + (at - now)
                    return total >= BodyRateMeter.grace
                        && Double(bytes) < Double(rate) * Double(total) / 1e9 + 0.001 * Double(rate)
                }
                let allowance = max(Double(BodyRateMeter.grace), Double(bytes) * 1e9 / Double(rate))
                guard Double(waited) < allowance else {
                    #expect(meter.deadline <= now)
                    continue
                }
                #expect(isLate(meter.deadline + 1))
                let left = Double(meter.deadline - now)
                #expect(abs(left + Double(waited) - allowance) < 1000)
            }
        }
    }
}
