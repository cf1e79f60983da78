public import Tenants

/// The counters of one event loop: plain integers that only this loop changes, summed when somebody asks.
public struct Counters: Sendable {
    private static let methodCount = CountedMethod.allCases.count
    /// How many outcomes are told apart.
    public static let outcomeCount = Outcome.allLabels.count
    private static let statusCount = 500

    /// The configured tenants and one for requests that are nobody's.
    public private(set) var tenantCount: Int
    /// By tenant and method, and there by status; empty where nothing was counted yet, since tenants come and go, and
    /// most methods are never seen.
    private var requests: [[UInt64]]
    /// By tenant and outcome.
    public private(set) var decisions: [UInt64]
    /// By tenant and outcome: refusals that were only observed.
    public private(set) var wouldRefuse: [UInt64]
    /// By tenant and what a refresh did for a request.
    public private(set) var refreshes: [UInt64]
    /// By tenant, in nanoseconds.
    public private(set) var durations: [Histogram]
    public private(set) var overheads: [Histogram]
    /// Work on one request that kept the loop from all others for too long, in nanoseconds.
    public var stalls = Histogram(.stalls)
    public var openConnections = 0
    /// By place: connections that were given up, because something happened that must not be possible.
    public private(set) var internalErrors = Array(repeating: UInt64(0), count: InternalErrorSite.allCases.count)
    /// Bytes of answers that clients have not taken.
    public var clientBacklog = 0
    public var tokenCache = TokenCacheCounts()

    /// - Parameter tenantCount: Of those that are configured.
    public init(tenantCount: Int) {
        self.tenantCount = tenantCount + 1
        requests = Array(repeating: [], count: self.tenantCount * Self.methodCount)
        decisions = Array(repeating: 0, count: self.tenantCount * Self.outcomeCount)
        wouldRefuse = Array(repeating: 0, count: self.tenantCount * Self.outcomeCount)
        refreshes = Array(repeating: 0, count: self.tenantCount * RefreshNote.Event.allCases.count)
        durations = Array(repeating: Histogram(.durations), count: self.tenantCount)
        overheads = Array(repeating: Histogram(.overheads), count: self.tenantCount)
    }

    /// Makes room for tenants that were added; the requests that are nobody's move behind them.
    public mutating func grow(tenantCount configured: Int) {
        let added = configured + 1 - tenantCount
        guard added > 0 else { return }
        let place = tenantCount - 1
        let (methods, events) = (Self.methodCount, RefreshNote.Event.allCases.count)
        requests.insert(contentsOf: Array(repeating: [], count: added * methods), at: place * methods)
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

    /// Counts an answered request.
    ///
    /// - Parameters:
    ///   - tenant: Its place; one above all others for a request that is nobody's.
    ///   - status: Of the answer; what is not from 100 to 599 counts as the nearer of the two.
    public mutating func count(tenant: TenantIndex, method: CountedMethod, status: Int, outcome: Outcome) {
        let status = min(max(status - 100, 0), Self.statusCount - 1)
        let row = tenant.value * Self.methodCount + method.rawValue
        if requests[row].isEmpty { requests[row] = Array(repeating: 0, count: Self.statusCount) }
        requests[row][status] += 1
        decisions[tenant.value * Self.outcomeCount + outcome.index] += 1
    }

    /// Counts a refusal that was only observed.
    public mutating func count(tenant: TenantIndex, wouldRefuse code: RefusalCode) {
        wouldRefuse[tenant.value * Self.outcomeCount + Outcome.refused(code).index] += 1
    }

    /// Counts what a refresh did for a request.
    public mutating func count(tenant: TenantIndex, refresh event: RefreshNote.Event) {
        refreshes[tenant.value * RefreshNote.Event.allCases.count + event.index] += 1
    }

    /// - Parameters:
    ///   - duration: Nanoseconds from the request's head to the end of its answer.
    ///   - overhead: Nanoseconds from the request's head until it left for the backend.
    public mutating func time(tenant: TenantIndex, duration: UInt64, overhead: UInt64) {
        durations[tenant].add(duration)
        overheads[tenant].add(overhead)
    }

    public mutating func add(_ other: Counters) {
        // A loop may have taken on a new tenant before another.
        var other = other
        other.grow(tenantCount: tenantCount - 1)
        grow(tenantCount: other.tenantCount - 1)
        for row in requests.indices where !other.requests[row].isEmpty {
            if requests[row].isEmpty {
                requests[row] = other.requests[row]
            } else {
                for status in requests[row].indices { requests[row][status] += other.requests[row][status] }
            }
        }
        for index in decisions.indices { decisions[index] += other.decisions[index] }
        for index in wouldRefuse.indices { wouldRefuse[index] += other.wouldRefuse[index] }
        for index in refreshes.indices { refreshes[index] += other.refreshes[index] }
        for index in durations.indices {
            durations[index].add(other.durations[index])
            overheads[index].add(other.overheads[index])
        }
        stalls.add(other.stalls)
        openConnections += other.openConnections
        for index in internalErrors.indices { internalErrors[index] += other.internalErrors[index] }
        clientBacklog += other.clientBacklog
        tokenCache.hits += other.tokenCache.hits
        tokenCache.misses += other.tokenCache.misses
        tokenCache.refusedHits += other.tokenCache.refusedHits
    }

    /// What a loop has counted apart.
    ///
    /// - Parameter internalErrors: By the index of the place.
    public mutating func add(stalls: Histogram, internalErrors: [UInt64]) {
        self.stalls.add(stalls)
        for (index, count) in internalErrors.enumerated() where index < self.internalErrors.count {
            self.internalErrors[index] += count
        }
    }

    /// The requests that were counted at all, each with what it is counted by.
    public func forEachRequestCount(
        _ body: (_ tenant: TenantIndex, _ method: CountedMethod, _ status: Int, _ count: UInt64) -> Void
    ) {
        for (row, counts) in requests.enumerated() {
            guard let method = CountedMethod(rawValue: row % Self.methodCount) else { continue }
            for (status, count) in counts.enumerated() where count > 0 {
                body(TenantIndex(row / Self.methodCount), method, status + 100, count)
            }
        }
    }
}

/// How tokens were judged: from memory, or by a signature check.
public struct TokenCacheCounts: Sendable, Equatable {
    public var hits: UInt64 = 0
    public var misses: UInt64 = 0
    /// Tokens that were known to be bad.
    public var refusedHits: UInt64 = 0

    public init(hits: UInt64 = 0, misses: UInt64 = 0, refusedHits: UInt64 = 0) {
        self.hits = hits
        self.misses = misses
        self.refusedHits = refusedHits
    }
}
