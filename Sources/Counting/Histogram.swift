/// The buckets of a histogram: the useful ones of a native histogram of schema 1 (Prometheus), whose bounds are powers
/// of √2 seconds, so that it compares with other programs' native histograms.
public struct HistogramScale: Sendable, Equatable {
    /// From 0.24 ms to 64 s.
    public static let durations = HistogramScale(-24...12)
    /// From 7.6 µs to 1 s.
    public static let overheads = HistogramScale(-34...0)

    /// From 5.5 ms to 8 s.
    public static let stalls = HistogramScale(-15...6)

    /// The step of the lowest bucket; step `k` ends at 2 to the power of `k / 2` seconds, inclusively.
    private let lowest: Int
    /// Upper bounds in seconds.
    public let seconds: [Double]
    /// The same in whole nanoseconds.
    public let bounds: [UInt64]

    private init(_ steps: ClosedRange<Int>) {
        lowest = steps.lowerBound
        seconds = steps.map(Self.bound)
        bounds = seconds.map { UInt64($0 * 1e9) }
    }

    /// Where a duration belongs; the number of bounds for what is above them all. Read from the exponent and the fraction
    /// of its floating-point form, without a loop.
    public func bucket(of nanoseconds: UInt64) -> Int {
        // One less, so that a bound itself belongs to the bucket that ends there.
        let bits = (Double(max(nanoseconds, 1)) * 1e-9).bitPattern - 1
        let exponent = Int(bits >> 52) - 1023
        let isUpperHalf = bits & Self.fraction >= Self.rootOfTwo
        return min(max(2 * exponent + (isUpperHalf ? 2 : 1) - lowest, 0), bounds.count)
    }

    private static let fraction: UInt64 = 0x000f_ffff_ffff_ffff
    private static let rootOfTwo: UInt64 = 2.0.squareRoot().bitPattern & fraction

    private static func bound(_ step: Int) -> Double {
        // Rounds down, for negative steps too.
        let isOdd = step & 1 == 1
        return Double(sign: .plus, exponent: step >> 1, significand: isOdd ? 2.0.squareRoot() : 1)
    }
}

/// A Prometheus histogram of nanoseconds.
public struct Histogram: Sendable, Equatable {
    public let scale: HistogramScale
    /// One a bound, and one for what is above them all; not cumulative.
    public private(set) var counts: [UInt64]
    public private(set) var sum: UInt64 = 0

    public init(_ scale: HistogramScale) {
        self.scale = scale
        counts = Array(repeating: 0, count: scale.bounds.count + 1)
    }

    /// Upper bounds in nanoseconds.
    public var bounds: [UInt64] { scale.bounds }

    public var isEmpty: Bool { counts.allSatisfy { $0 == 0 } }

    public mutating func add(_ nanoseconds: UInt64) {
        counts[scale.bucket(of: nanoseconds)] += 1
        sum += nanoseconds
    }

    public mutating func add(_ other: Histogram) {
        for index in counts.indices { counts[index] += other.counts[index] }
        sum += other.sum
    }
}
