import Authorization
import Counting
import Tenants
import Time
import Upstream

/// Which of the requests that would have been refused are logged: of each tenant and each reason at most one a second,
/// so that a migration can be followed in the log and does not fill it.
struct ObservedSamples {
    /// Nanoseconds.
    static let interval: UInt64 = 1_000_000_000

    private struct Sample {
        /// `.distantPast`: never.
        var loggedAt = MonotonicTime.distantPast
        var passedOver: UInt64 = 0
    }

    /// By tenant and outcome; empty until something is observed.
    private var samples: [Sample] = []
    private var tenantCount: Int

    init(tenantCount: Int) {
        self.tenantCount = tenantCount
    }

    /// Makes room for tenants that were added.
    mutating func grow(tenantCount: Int) {
        self.tenantCount = tenantCount
        let more = tenantCount * Counters.outcomeCount - samples.count
        if !samples.isEmpty, more > 0 { samples += Array(repeating: Sample(), count: more) }
    }

    /// - Parameter now: Never `.distantPast`.
    /// - Returns: How many were passed over since the last that was logged; nil where this one is passed over too.
    mutating func take(tenant: TenantIndex, _ code: RefusalCode, at now: MonotonicTime) -> UInt64? {
        if samples.isEmpty { samples = Array(repeating: Sample(), count: tenantCount * Counters.outcomeCount) }
        let place = tenant.value * Counters.outcomeCount + Outcome.refused(code).index
        let sample = samples[place]
        guard sample.loggedAt == .distantPast || now >= sample.loggedAt + Self.interval else {
            samples[place].passedOver += 1
            return nil
        }
        samples[place] = Sample(loggedAt: now)
        return sample.passedOver
    }
}
