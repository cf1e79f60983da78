/// The counters of one event loop: plain integers that only this loop changes, summed when somebody asks.
struct Counters: Sendable {
    static let methodCount = CountedMethod.allCases.count
    static let outcomeCount = Outcome.allLabels.count
    private static let statusCount = 500

    /// The configured tenants and one for requests that are nobody's.
    let tenantCount: Int
    /// By tenant, method and status.
    private(set) var requests: [UInt64]
    /// By tenant and outcome.
    private(set) var decisions: [UInt64]
    /// By tenant and what a refresh did for a request.
    private(set) var refreshes: [UInt64]
    /// By tenant, in nanoseconds.
    private(set) var durations: [Histogram]
    private(set) var overheads: [Histogram]
    var openConnections = 0
    var tokenCache = TokenCacheCounts()

    init(tenantCount: Int) {
        self.tenantCount = tenantCount + 1
        requests = Array(repeating: 0, count: self.tenantCount * Self.methodCount * Self.statusCount)
        decisions = Array(repeating: 0, count: self.tenantCount * Self.outcomeCount)
        refreshes = Array(repeating: 0, count: self.tenantCount * RefreshNote.Event.allCases.count)
        durations = Array(repeating: Histogram(bounds: Histogram.durationBounds), count: self.tenantCount)
        overheads = Array(repeating: Histogram(bounds: Histogram.overheadBounds), count: self.tenantCount)
    }

    mutating func count(tenant: Int, method: CountedMethod, status: Int, outcome: Outcome) {
        let status = min(max(status - 100, 0), Self.statusCount - 1)
        requests[(tenant * Self.methodCount + method.rawValue) * Self.statusCount + status] += 1
        decisions[tenant * Self.outcomeCount + outcome.index] += 1
    }

    mutating func count(tenant: Int, refresh event: RefreshNote.Event) {
        refreshes[tenant * RefreshNote.Event.allCases.count + event.index] += 1
    }

    mutating func time(tenant: Int, duration: UInt64, overhead: UInt64) {
        durations[tenant].add(duration)
        overheads[tenant].add(overhead)
    }

    mutating func add(_ other: Counters) {
        for index in requests.indices { requests[index] += other.requests[index] }
        for index in decisions.indices { decisions[index] += other.decisions[index] }
        for index in refreshes.indices { refreshes[index] += other.refreshes[index] }
        for index in durations.indices {
            durations[index].add(other.durations[index])
            overheads[index].add(other.overheads[index])
        }
        openConnections += other.openConnections
        tokenCache.hits += other.tokenCache.hits
        tokenCache.misses += other.tokenCache.misses
        tokenCache.refusedHits += other.tokenCache.refusedHits
    }

    /// The requests that were counted at all, each with what it is counted by.
    func forEachRequestCount(_ body: (_ tenant: Int, _ method: CountedMethod, _ status: Int, _ count: UInt64) -> Void) {
        for (place, count) in requests.enumerated() where count > 0 {
            let row = place / Self.statusCount
            guard let method = CountedMethod(rawValue: row % Self.methodCount) else { continue }
            body(row / Self.methodCount, method, place % Self.statusCount + 100, count)
        }
    }
}

/// How tokens were judged: from memory, or by a signature check.
struct TokenCacheCounts: Sendable, Equatable {
    var hits: UInt64 = 0
    var misses: UInt64 = 0
    /// Tokens that were known to be bad.
    var refusedHits: UInt64 = 0
}

/// A Prometheus histogram of nanoseconds.
struct Histogram: Sendable, Equatable {
    /// Nanoseconds.
    static let durationBounds: [UInt64] = [
        500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000, 50_000_000, 100_000_000, 250_000_000,
        500_000_000, 1_000_000_000, 2_500_000_000, 5_000_000_000, 10_000_000_000,
    ]
    static let overheadBounds: [UInt64] = [
        10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000, 100_000_000,
    ]

    let bounds: [UInt64]
    /// One a bound, and one for what is above them all; not cumulative.
    private(set) var counts: [UInt64]
    private(set) var sum: UInt64 = 0

    init(bounds: [UInt64]) {
        self.bounds = bounds
        counts = Array(repeating: 0, count: bounds.count + 1)
    }

    mutating func add(_ nanoseconds: UInt64) {
        var place = 0
        while place < bounds.count, nanoseconds > bounds[place] { place += 1 }
        counts[place] += 1
        sum += nanoseconds
    }

    mutating func add(_ other: Histogram) {
        for index in counts.indices { counts[index] += other.counts[index] }
        sum += other.sum
    }
}
