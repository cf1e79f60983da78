import Authorization
import Counting
import Tenants
import Time
import Upstream

/// Selects which observed refusals are logged: at most one per second for each tenant and reason, so that a migration
/// shows in the log without flooding it.
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
    /// - Returns: How many were skipped since the last logged one; nil if this one is skipped too.
    mutating func take(tenant: TenantIndex, _ code: RefusalCode, at now: MonotonicTime) -> UInt64? {
        if samples.isEmpty { samples = Array(repeating: Sample(), count: tenantCount * Counters.outcomeCount) }
        let index = tenant.value * Counters.outcomeCount + Outcome.refused(code).index
        let sample = samples[index]
        guard sample.loggedAt == .distantPast || now >= sample.loggedAt + Self.interval else {
            samples[index].passedOver += 1
            return nil
        }
        samples[index] = Sample(loggedAt: now)
        return sample.passedOver
    }
}
