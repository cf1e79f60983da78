/// A value below which a share of all recorded values are, as far as buckets tell.
enum Quantile {
    /// Straight lines between the bounds, as PromQL's `histogram_quantile` has it. What is above the last bound counts as
    /// the last bound.
    ///
    /// - Parameters:
    ///   - share: From 0 to 1.
    ///   - bounds: Upper bounds of the buckets, rising.
    ///   - counts: Of the buckets, and of what is above them all.
    /// - Returns: In the bounds' unit; nil without a value.
    static func of(_ share: Double, bounds: [UInt64], counts: [UInt64]) -> Double? {
        let total = counts.reduce(0, +)
        guard total > 0, let last = bounds.last else { return nil }
        let rank = share * Double(total)
        var below = 0.0
        var lower = 0.0
        for (bound, count) in zip(bounds, counts) {
            let (upper, inside) = (Double(bound), Double(count))
            if count > 0, below + inside >= rank { return lower + (upper - lower) * (rank - below) / inside }
            below += inside
            lower = upper
        }
        return Double(last)
    }
}
