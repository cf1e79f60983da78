import Counting
import TestSupport
import Testing

struct HistogramTests {
    @Test(arguments: [HistogramScale.durations, .overheads])
    func boundsArePowersOfTheRootOfTwoInSeconds(scale: HistogramScale) {
        #expect(scale.seconds == scale.seconds.sorted() && Set(scale.seconds).count == scale.seconds.count)
        #expect(scale.seconds.contains(1))
        for (low, high) in zip(scale.seconds, scale.seconds.dropFirst(2)) { #expect(high == 2 * low) }
        for (low, high) in zip(scale.seconds, scale.seconds.dropFirst()) {
            #expect(abs(high / low - 2.0.squareRoot()) < 1e-12)
        }
    }

    @Test func scalesCoverFastAndTimedOutRequests() {
        #expect(HistogramScale.durations.seconds.first == 0x1p-12)
        #expect(HistogramScale.durations.seconds.last == 64)
        #expect(HistogramScale.overheads.seconds.first == 0x1p-17)
        #expect(HistogramScale.overheads.seconds.last == 1)
    }

    @Test(arguments: [HistogramScale.durations, .overheads])
    func boundsAreInclusive(scale: HistogramScale) {
        for (place, bound) in scale.bounds.enumerated() {
            #expect(scale.bucket(of: bound) == place)
            #expect(scale.bucket(of: bound + 1) == place + 1)
        }
    }

    @Test(arguments: [HistogramScale.durations, .overheads])
    func everyDurationIsCountedInTheFirstBucketThatHoldsIt(scale: HistogramScale) {
        var random = SplitMix64(seed: 140)
        for _ in 0..<20_000 {
            let value = UInt64(random.below(1 << (1 + random.below(40))))
            #expect(scale.bucket(of: value) == scale.bounds.firstIndex { value <= $0 } ?? scale.bounds.count)
        }
        #expect(scale.bucket(of: 0) == 0)
        #expect(scale.bucket(of: .max) == scale.bounds.count)
    }

    @Test func recordedDurationsAreCountedAndSummed() {
        var histogram = Histogram(.durations)
        for value in [0, 1_000_000_000, 1_000_000_001, 90_000_000_000] as [UInt64] { histogram.add(value) }
        let counted = zip(histogram.bounds + [.max], histogram.counts).filter { $0.1 > 0 }
        #expect(counted.map(\.0) == [244_140, 1_000_000_000, 1_414_213_562, .max])
        #expect(histogram.counts.reduce(0, +) == 4)
        #expect(histogram.sum == 92_000_000_001)
    }

    @Test func sumOfHistogramsIsTheHistogramOfAll() {
        var random = SplitMix64(seed: 141)
        var parts = Array(repeating: Histogram(.overheads), count: 4)
        var whole = Histogram(.overheads)
        for _ in 0..<1000 {
            let value = UInt64(random.below(200_000_000))
            whole.add(value)
            parts[random.below(4)].add(value)
        }
        var sum = Histogram(.overheads)
        for part in parts { sum.add(part) }
        #expect(sum == whole)
    }
}
