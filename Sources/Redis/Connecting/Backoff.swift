/// How long to wait before the next attempt to connect, with full jitter: anything up to a limit that doubles, so that
/// a fleet that lost its server at one moment does not reconnect at one.
///
///     failures in a row   0     1      2      3      …
///     at most             base  2·base 4·base 8·base cap
struct Backoff: Equatable {
    private let base: Int64
    private let cap: Int64
    private let refused: Int64
    private var failures = 0

    init(_ retry: RedisRetry) {
        base = max(1, retry.base.wholeNanoseconds)
        cap = max(base, retry.cap.wholeNanoseconds)
        refused = max(cap, retry.refused.wholeNanoseconds)
    }

    mutating func next(using generator: inout some RandomNumberGenerator) -> Duration {
        // Beyond 40 doublings any base is above the cap.
        let doubled = base.multipliedReportingOverflow(by: 1 << min(failures, 40))
        let limit = doubled.overflow ? cap : min(cap, doubled.partialValue)
        failures += 1
        return .nanoseconds(Int64.random(in: 0...limit, using: &generator))
    }

    /// The wait if only an operator can fix the problem. Short enough that no restart is needed afterwards.
    func nextWhenRefused(using generator: inout some RandomNumberGenerator) -> Duration {
        .nanoseconds(Int64.random(in: refused / 2...refused, using: &generator))
    }

    mutating func reset() { failures = 0 }
}

extension Duration {
    /// In nanoseconds, clamped to the range.
    var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let nanoseconds = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !nanoseconds.overflow else { return seconds < 0 ? .min : .max }
        let sum = nanoseconds.partialValue.addingReportingOverflow(attoseconds / 1_000_000_000)
        return sum.overflow ? (seconds < 0 ? .min : .max) : sum.partialValue
    }
}
