public import Tenants

/// The counters of one event loop: plain integers that only this loop changes, summed when metrics are read.
public struct Counters: Sendable {
    private static let methodCount = CountedMethod.allCases.count
    /// The number of outcomes.
    public static let outcomeCount = Outcome.allLabels.count
    private static let statusCount = 500

    /// The configured tenants, and one for requests without a tenant.
    public private(set) var tenantCount: Int
    /// By tenant and method, then by status; empty until something is counted, since most methods never occur.
    private var requests: [[UInt64]]
    /// By tenant and outcome.
    public private(set) var decisions: [UInt64]
    /// By tenant and outcome: refusals that were only observed.
    public private(set) var wouldRefuse: [UInt64]
    /// By tenant and the effect of a refresh on a request.
    public private(set) var refreshes: [UInt64]
    /// By tenant: requests whose copy for a mirror there was no room for.
    public private(set) var droppedMirrors: [UInt64]
    /// By tenant: requests with a stale token before the one that counted.
    public private(set) var staleTokens: [UInt64]
    /// By tenant and ``AppVersionCount``.
    public private(set) var appVersions: [UInt64]
    /// By tenant, in nanoseconds.
    public private(set) var durations: [Histogram]
    public private(set) var overheads: [Histogram]
    /// Work on one request that blocked the loop for too long, in nanoseconds.
    public var stalls = Histogram(.stalls)
    public var openConnections = 0
    /// By ``InternalErrorSite``: connections that were closed because of an impossible event.
    public private(set) var internalErrors = Array(repeating: UInt64(0), count: InternalErrorSite.allCases.count)
    /// Bytes of responses that clients have not taken.
    public var clientBacklog = 0
    public var tokenCache = TokenCacheCounts()

    /// - Parameter tenantCount: The number of configured tenants.
    public init(tenantCount: Int) {
        self.tenantCount = tenantCount + 1
        requests = Array(repeating: [], count: self.tenantCount * Self.methodCount)
        decisions = Array(repeating: 0, count: self.tenantCount * Self.outcomeCount)
        wouldRefuse = Array(repeating: 0, count: self.tenantCount * Self.outcomeCount)
        refreshes = Array(repeating: 0, count: self.tenantCount * RefreshNote.Event.allCases.count)
        droppedMirrors = Array(repeating: 0, count: self.tenantCount)
        staleTokens = Array(repeating: 0, count: self.tenantCount)
        appVersions = Array(repeating: 0, count: self.tenantCount * AppVersionCount.allCases.count)
        durations = Array(repeating: Histogram(.durations), count: self.tenantCount)
        overheads = Array(repeating: Histogram(.overheads), count: self.tenantCount)
    }

    /// Adds counters for new tenants; those for requests without a tenant stay the last.
    public mutating func grow(tenantCount configured: Int) {
        let added = configured + 1 - tenantCount
        guard added > 0 else { return }
        let index = tenantCount - 1
        let (methods, events) = (Self.methodCount, RefreshNote.Event.allCases.count)
        requests.insert(contentsOf: Array(repeating: [], count: added * methods), at: index * methods)
        Self.insert(added * Self.outcomeCount, at: index * Self.outcomeCount, in: &decisions)
        Self.insert(added * Self.outcomeCount, at: index * Self.outcomeCount, in: &wouldRefuse)
        Self.insert(added * events, at: index * events, in: &refreshes)
        Self.insert(added, at: index, in: &droppedMirrors)
        Self.insert(added, at: index, in: &staleTokens)
        let versions = AppVersionCount.allCases.count
        Self.insert(added * versions, at: index * versions, in: &appVersions)
        durations.insert(contentsOf: Array(repeating: Histogram(.durations), count: added), at: index)
        overheads.insert(contentsOf: Array(repeating: Histogram(.overheads), count: added), at: index)
        tenantCount = configured + 1
    }

    private static func insert(_ count: Int, at index: Int, in counts: inout [UInt64]) {
        counts.insert(contentsOf: repeatElement(0, count: count), at: index)
    }

    /// Counts a request with its response.
    ///
    /// - Parameters:
    ///   - tenant: Its index; the one after all tenants for a request without a tenant.
    ///   - status: The response's, clamped to 100 to 599.
    public mutating func count(tenant: TenantIndex, method: CountedMethod, status: Int, outcome: Outcome) {
        let status = min(max(status - 100, 0), Self.statusCount - 1)
        let row = tenant.value * Self.methodCount + method.rawValue
        if requests[row].isEmpty { requests[row] = Array(repeating: 0, count: Self.statusCount) }
        requests[row][status] += 1
        decisions[tenant.value * Self.outcomeCount + outcome.index] += 1
    }

    public mutating func countDroppedMirror(tenant: TenantIndex) { droppedMirrors[tenant.value] += 1 }

    public mutating func countStaleToken(tenant: TenantIndex) { staleTokens[tenant.value] += 1 }

    public mutating func count(tenant: TenantIndex, appVersion: AppVersionCount) {
        appVersions[tenant.value * AppVersionCount.allCases.count + appVersion.index] += 1
    }

    /// Counts a refusal that was only observed.
    public mutating func count(tenant: TenantIndex, wouldRefuse code: RefusalCode) {
        wouldRefuse[tenant.value * Self.outcomeCount + Outcome.refused(code).index] += 1
    }

    /// Counts the effect of a refresh on a request.
    public mutating func count(tenant: TenantIndex, refresh event: RefreshNote.Event) {
        refreshes[tenant.value * RefreshNote.Event.allCases.count + event.index] += 1
    }

    /// - Parameters:
    ///   - duration: Nanoseconds from the request's head to the end of the response.
    ///   - overhead: Nanoseconds from the request's head until it left for the backend.
    public mutating func time(tenant: TenantIndex, duration: UInt64, overhead: UInt64) {
        durations[tenant].add(duration)
        overheads[tenant].add(overhead)
    }

    /// Adds up the tenants of each group.
    ///
    /// - Parameter groups: By index, those without a tenant included; nil: left out.
    mutating func regroup(by groups: [Int?], count: Int) {
        let old = self
        let empty = Counters(tenantCount: count)
        tenantCount = empty.tenantCount
        (requests, decisions, wouldRefuse) = (empty.requests, empty.decisions, empty.wouldRefuse)
        (refreshes, droppedMirrors) = (empty.refreshes, empty.droppedMirrors)
        (staleTokens, appVersions) = (empty.staleTokens, empty.appVersions)
        (durations, overheads) = (empty.durations, empty.overheads)
        let (events, versions) = (RefreshNote.Event.allCases.count, AppVersionCount.allCases.count)
        for (tenant, group) in groups.enumerated() {
            guard let group else { continue }
            for method in 0..<Self.methodCount {
                let counts = old.requests[tenant * Self.methodCount + method]
                guard !counts.isEmpty else { continue }
                let row = group * Self.methodCount + method
                if requests[row].isEmpty { requests[row] = Array(repeating: 0, count: Self.statusCount) }
                for status in counts.indices { requests[row][status] += counts[status] }
            }
            for outcome in 0..<Self.outcomeCount {
                let (from, to) = (tenant * Self.outcomeCount + outcome, group * Self.outcomeCount + outcome)
                decisions[to] += old.decisions[from]
                wouldRefuse[to] += old.wouldRefuse[from]
            }
            for event in 0..<events { refreshes[group * events + event] += old.refreshes[tenant * events + event] }
            droppedMirrors[group] += old.droppedMirrors[tenant]
            staleTokens[group] += old.staleTokens[tenant]
            for version in 0..<versions {
                appVersions[group * versions + version] += old.appVersions[tenant * versions + version]
            }
            durations[group].add(old.durations[tenant])
            overheads[group].add(old.overheads[tenant])
        }
    }

    public mutating func add(_ other: Counters) {
        // The loops adopt new tenants at different times.
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
        for index in droppedMirrors.indices { droppedMirrors[index] += other.droppedMirrors[index] }
        for index in staleTokens.indices { staleTokens[index] += other.staleTokens[index] }
        for index in appVersions.indices { appVersions[index] += other.appVersions[index] }
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

    /// Adds counts that a loop keeps outside of this value.
    ///
    /// - Parameter internalErrors: By the index of ``InternalErrorSite``.
    public mutating func add(stalls: Histogram, internalErrors: [UInt64]) {
        self.stalls.add(stalls)
        for (index, count) in internalErrors.enumerated() where index < self.internalErrors.count {
            self.internalErrors[index] += count
        }
    }

    /// The counts of requests that are not zero, with their labels.
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

/// How tokens were verified: from the cache, or by a signature check.
public struct TokenCacheCounts: Sendable, Equatable {
    public var hits: UInt64 = 0
    public var misses: UInt64 = 0
    /// Tokens in the cache of invalid ones.
    public var refusedHits: UInt64 = 0

    public init(hits: UInt64 = 0, misses: UInt64 = 0, refusedHits: UInt64 = 0) {
        self.hits = hits
        self.misses = misses
        self.refusedHits = refusedHits
    }
}
