import Counting
import SharedState
import Tenants
import Time

/// How the gateway is doing at one moment: what `GET /api/tenants` answers and the dashboard shows. Times are Unix
/// seconds. What is counted is counted since the start of the process.
struct GatewayReport: Sendable, Equatable {
    /// The last attempt to read the configuration again.
    struct Reload: Sendable, Equatable {
        var result: ReloadReport.Result
        var at: UnixTime
        /// Why it was refused.
        var mistakes: [String]
    }

    /// Of the configuration in force, from 1.
    var generation: UInt64
    /// Since when the configuration has been in force.
    var loadedAt: UnixTime
    var startedAt: UnixTime
    var now: UnixTime
    var version: String
    /// Nil before the first.
    var reload: Reload?
    var storeIsUp: Bool
    /// Seconds since the store was last known to have no newer revocation; nil before the first load.
    var staleness: Double?
    var openConnections: Int
    var tokenCache: TokenCacheCounts
    /// In the order of the configuration.
    var tenants: [TenantReport]
}

/// One tenant's part of a ``GatewayReport``.
struct TenantReport: Sendable, Equatable {
    struct Server: Sendable, Equatable {
        var url: String
        /// Whether every event loop sends requests to it.
        var isHealthy: Bool
        /// By what became of them.
        var requests: [String: UInt64]
    }

    var name: String
    var hosts: [String]
    var pathPrefix: String?
    var mode: String
    var requestsByStatus: [Int: UInt64]
    var decisions: [String: UInt64]
    /// By refusal code: what was only observed.
    var wouldRefuse: [String: UInt64]
    /// From the request's head to the end of its answer.
    var latency: LatencyReport
    /// From the request's head until it left for the backend.
    var overhead: LatencyReport
    var refreshes: [String: UInt64]
    /// By limit.
    var rateLimited: [String: UInt64]
    /// In force; nil before the first load.
    var revocations: Int?
    var hasIssuer: Bool
    var servers: [Server]
    var keySets: [KeySetStatus]
}

/// What a histogram comes to. The percentiles are in milliseconds, and nil without a value.
struct LatencyReport: Sendable, Equatable {
    /// Values from one bound to the next.
    struct Bucket: Sendable, Equatable {
        /// Milliseconds.
        var from: Double
        /// Milliseconds; nil for what is above every bound.
        var to: Double?
        var count: UInt64
    }

    var median: Double?
    var percentile90: Double?
    var percentile99: Double?
    var count: UInt64
    /// Those that hold anything, rising.
    var buckets: [Bucket] = []

    init(_ histogram: Histogram) {
        func milliseconds(_ share: Double) -> Double? {
            Quantile.of(share, bounds: histogram.bounds, counts: histogram.counts).map { $0 / 1_000_000 }
        }
        median = milliseconds(0.5)
        percentile90 = milliseconds(0.9)
        percentile99 = milliseconds(0.99)
        count = histogram.counts.reduce(0, +)
        let bounds = histogram.bounds.map { Double($0) / 1_000_000 }
        for (place, count) in histogram.counts.enumerated() where count > 0 {
            buckets.append(
                Bucket(
                    from: place > 0 ? bounds[place - 1] : 0,
                    to: place < bounds.count ? bounds[place] : nil,
                    count: count
                )
            )
        }
    }
}
