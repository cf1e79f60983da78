import Testing

@testable import Gateway

struct HistogramTests {
    @Test func boundsAreInclusive() {
        var histogram = Histogram(bounds: [10, 20])
        for value in [0, 10, 11, 20, 21, 1000] as [UInt64] { histogram.add(value) }
        #expect(histogram.counts == [2, 2, 2])
        #expect(histogram.sum == 1062)
    }

    @Test func everyValueIsCountedInTheFirstBucketThatHoldsIt() {
        var random = SplitMix64(seed: 140)
        for bounds in [Histogram.durationBounds, Histogram.overheadBounds] {
            #expect(bounds == bounds.sorted() && Set(bounds).count == bounds.count)
            for _ in 0..<2000 {
                let value = UInt64(random.below(20_000_000_000))
                var histogram = Histogram(bounds: bounds)
                histogram.add(value)
                let place = bounds.firstIndex { value <= $0 } ?? bounds.count
                #expect(histogram.counts.indices.filter { histogram.counts[$0] > 0 } == [place])
            }
        }
    }

    @Test func sumOfHistogramsIsTheHistogramOfAll() {
        var random = SplitMix64(seed: 141)
        var parts = Array(repeating: Histogram(bounds: Histogram.overheadBounds), count: 4)
        var whole = Histogram(bounds: Histogram.overheadBounds)
        for _ in 0..<1000 {
            let value = UInt64(random.below(200_000_000))
            whole.add(value)
            parts[random.below(4)].add(value)
        }
        var sum = Histogram(bounds: Histogram.overheadBounds)
        for part in parts { sum.add(part) }
        #expect(sum == whole)
    }
}
