import TestSupport
import Testing

@testable import AdminAPI

struct QuantileTests {
    @Test func emptyHistogramHasNoQuantile() {
        #expect(Quantile.of(0.5, bounds: [10, 20], counts: [0, 0, 0]) == nil)
    }

    @Test func quantileInterpolatesBetweenBounds() {
        func quantile(_ share: Double) -> Double? {
            Quantile.of(share, bounds: [100, 200, 400], counts: [2, 2, 0, 0])
        }
        #expect(quantile(0.25) == 50)
        #expect(quantile(0.5) == 100)
        #expect(quantile(0.75) == 150)
        #expect(quantile(1) == 200)
    }

    @Test func quantileAboveAllBoundsIsTheLast() {
        #expect(Quantile.of(0.9, bounds: [100, 200], counts: [1, 0, 3]) == 200)
    }

    /// It is in the bucket of the true quantile, so that the error is a bucket's width at most.
    @Test func quantileIsInTheBucketOfTheTrueOne() throws {
        var random = SplitMix64(seed: 77)
        let bounds: [UInt64] = [10, 30, 100, 300, 1000]
        for _ in 0..<200 {
            let values = (0..<(1 + random.below(50))).map { _ in UInt64(random.below(1000)) }.sorted()
            var counts = Array(repeating: UInt64(0), count: bounds.count + 1)
            for value in values { counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1 }
            for share in [0.5, 0.9, 0.99] {
                let index = max(0, Int((share * Double(values.count)).rounded(.up)) - 1)
                let upper = try #require(bounds.first { values[index] <= $0 })
                let lower = bounds.last { values[index] > $0 } ?? 0
                let quantile = try #require(Quantile.of(share, bounds: bounds, counts: counts))
                #expect(quantile >= Double(lower) && quantile <= Double(upper), "\(values) \(share)")
            }
        }
    }
}
