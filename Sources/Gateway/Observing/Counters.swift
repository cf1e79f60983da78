/// The counters of one event loop: plain integers that only this loop changes, summed when somebody asks.
struct Counters: Sendable {
    static let methodCount = CountedMethod.allCases.count
    static let outcomeCount = Outcome.allLabels.count
    private static let statusCount = 500

    /// The configured tenants and one for requests that are nobody's.
    private(set) var tenantCount: Int
    /// By tenant, method and status.
    private(set) var requests: [UInt64]
    /// By tenant and outcome.
    private(set) var decisions: [UInt64]
    /// By tenant and outcome: refusals that were only observed.
    private(set) var wouldRefuse: [UInt64]
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
        wouldRefuse = Array(repeating: 0, count: self.tenantCount * Self.outcomeCount)
        refreshes = Array(repeating: 0, count: self.tenantCount * RefreshNote.Event.allCases.count)
        durations = Array(repeating: Histogram(.durations), count: self.tenantCount)
        overheads = Array(repeating: Histogram(.overheads), count: self.tenantCount)
    }

    /// Makes room for tenants that were added; the requests that are nobody's move behind them.
    mutating func grow(tenantCount configured: Int) {
        let added = configured + 1 - tenantCount
        guard added > 0 else { return }
        let place = tenantCount - 1
        let (methods, events) = (Self.methodCount * Self.statusCount, RefreshNote.Event.allCases.count)
        Self.insert(added * methods, at: place * methods, in: &requests)
        Self.insert(added * Self.outcomeCount, at: place * Self.outcomeCount, in: &decisions)
        Self.insert(added * Self.outcomeCount, at: place * Self.outcomeCount, in: &wouldRefuse)
        Self.insert(added * events, at: place * events, in: &refreshes)
        durations.insert(contentsOf: Array(repeating: Histogram(.durations), count: added), at: place)
        overheads.insert(contentsOf: Array(repeating: Histogram(.overheads), count: added), at: place)
        tenantCount = configured + 1
    }

    private static func insert(_ count: Int, at place: Int, in counts: inout [UInt64]) {
        counts.insert(contentsOf: repeatElement(0, count: count), at: place)
    }

    mutating func count(tenant: Int, method: CountedMethod, status: Int, outcome: Outcome) {
        let status = min(max(status - 100, 0), Self.statusCount - 1)
        requests[(tenant * Self.methodCount + method.rawValue) * Self.statusCount + status] += 1
        decisions[tenant * Self.outcomeCount + outcome.index] += 1
    }

    mutating func count(tenant: Int, wouldRefuse code: RefusalCode) {
        wouldRefuse[tenant * Self.outcomeCount + Outcome.refused(code).index] += 1
    }

    mutating func count(tenant: Int, refresh event: RefreshNote.Event) {
        refreshes[tenant * RefreshNote.Event.allCases.count + event.index] += 1
    }

    mutating func time(tenant: Int, duration: UInt64, overhead: UInt64) {
        durations[tenant].add(duration)
        overheads[tenant].add(overhead)
    }

    mutating func add(_ other: Counters) {
        // A loop may have taken on a new tenant before another.
        var other = other
        other.grow(tenantCount: tenantCount - 1)
        grow(tenantCount: other.tenantCount - 1)
        for index in requests.indices { requests[index] += other.requests[index] }
        for index in decisions.indices { decisions[index] += other.decisions[index] }
        for index in wouldRefuse.indices { wouldRefuse[index] += other.wouldRefuse[index] }
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
