/// The value below which a share of all recorded values lies, estimated from buckets.
enum Quantile {
    /// Interpolates linearly between the bounds, like PromQL's `histogram_quantile`. Values above the last bound count as
    /// that bound.
    ///
    /// - Parameters:
    ///   - share: From 0 to 1.
    ///   - bounds: Upper bounds of the buckets, rising.
    ///   - counts: One for each bucket, then one for values above the last bound.
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
