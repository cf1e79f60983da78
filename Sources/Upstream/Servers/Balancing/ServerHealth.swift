import Time

/// One event loop's view of one server's health, from probes and from the loop's own requests.
///
/// Probes have priority: a server that they found down gets nothing. The loop's own failures only *eject* it: for a
/// while the others are preferred. After that it is on trial, with one request per second until one is answered, and
/// then its share grows slowly.
///
/// If there are no others, an ejected server is used nonetheless (``isLastResort(at:)``). A server that refuses or
/// resets costs its callers no more than a round trip, and serves again the moment it is back. Resets and timeouts may
/// be caused by a single request that a caller repeats, and this must not cost the other callers the tenant's only
/// server. Only a server on which connecting hangs would delay every caller by the connect timeout: one request per
/// second tries it, and the rest are refused at once.
struct ServerHealth: Equatable {
    /// In 1/1024.
    static let fullShare = 1024
    /// A tenth: enough to warm caches and pools, too little to drown a server that has just started.
    static let firstShare = 102
    static let returnTime: UInt64 = 30 * second
    /// Failures of any kind in a row. A busy server that works answers others in the meantime, so a few requests that
    /// make it fail do not add up.
    static let failuresToEject = 5
    /// Failures to connect in a row. No request can cause these, and the caller pays for each with a retry or the
    /// connect timeout. A single one may be a lost packet or a listener that restarts.
    static let connectFailuresToEject = 2
    /// About as long as a process takes to restart.
    static let shortestEjection: UInt64 = 10 * second
    static let longestEjection: UInt64 = 300 * second
    /// Healthy for this long, the next ejection is one step shorter.
    static let forgetsAfter = longestEjection
    /// At the usual connect timeout of 2 s, at most two callers per loop hang on a dead server.
    static let trialInterval: UInt64 = second

    private static let second: UInt64 = 1_000_000_000

    private(set) var isProbedUp = true
    /// Ejected or on trial: it has failed and not answered since.
    private(set) var isOut = false
    /// Whether connecting hung when it was last tried.
    private var hangs = false
    private var failures = 0
    private var connectFailures = 0
    private var ejections: UInt64 = 0
    private var ejectedAt = MonotonicTime.distantPast
    private var ejectedUntil = MonotonicTime.distantPast
    private var nextTrial = MonotonicTime.distantPast
    private var goodSince = MonotonicTime.distantPast
    private var fullShareAt = MonotonicTime.distantPast

    // MARK: Queries

    /// Whether it can be chosen like any other, for its share.
    func isAvailable(at now: MonotonicTime) -> Bool {
        isProbedUp && (!isOut || (now >= ejectedUntil && now >= nextTrial))
    }

    /// Whether it can be chosen when no server is available.
    func isLastResort(at now: MonotonicTime) -> Bool {
        isProbedUp && (!isOut || !hangs || now >= nextTrial)
    }

    func isEjected(at now: MonotonicTime) -> Bool { isOut && now < ejectedUntil }

    /// The part of its weight that counts, in 1/1024.
    func share(at now: MonotonicTime) -> Int {
        guard now < fullShareAt else { return Self.fullShare }
        let left = min(fullShareAt - now, Self.returnTime)
        return Self.fullShare - (Self.fullShare - Self.firstShare) * Int(left) / Int(Self.returnTime)
    }

    // MARK: Events

    /// The probes' result (see ``ProbeHistory``). A server that they bring up needs no trial; repeating the same state
    /// does nothing.
    mutating func probed(isUp: Bool, at now: MonotonicTime) {
        guard isUp != isProbedUp else { return }
        isProbedUp = isUp
        if isUp { returned(at: now) }
    }

    /// It is no longer probed, or not as before: it counts as up until it fails.
    mutating func forgetProbes() { isProbedUp = true }

    /// A request is on its way to it.
    mutating func chosen(at now: MonotonicTime) {
        if isOut { nextTrial = now + Self.trialInterval }
    }

    /// Connected. It has not answered yet, but connecting no longer hangs.
    /// - Parameter begunAt: When connecting began.
    mutating func connected(begunAt: MonotonicTime) {
        guard begunAt >= ejectedAt else { return }
        hangs = false
        connectFailures = 0
    }

    /// The head of a final response arrived, whatever its status.
    /// - Parameter begunAt: When the server was chosen for that request. Responses to requests from before the ejection
    ///   are outdated by the failures that caused it.
    mutating func answered(begunAt: MonotonicTime, at now: MonotonicTime) {
        guard begunAt >= ejectedAt else { return }
        failures = 0
        connectFailures = 0
        guard isOut else { return }
        if now < ejectedUntil {
            returned(at: now)
        } else {
            isOut = false
            goodSince = now
        }
    }

    /// - Parameter begunAt: When the server was chosen for the request, or connecting began. Failures of attempts from
    ///   before an ejection do not count again: they led to it or belong to it.
    /// - Returns: Whether this ejected the server.
    @discardableResult
    mutating func failed(_ failure: ServerFailure, begunAt: MonotonicTime, at now: MonotonicTime) -> Bool {
        guard begunAt >= ejectedAt else { return false }
        guard !isOut else {
            hangs = failure == .connectTimedOut
            guard now >= ejectedUntil else { return false }
            eject(at: now)
            return true
        }
        failures += 1
        if failure.isOfConnecting { connectFailures += 1 }
        guard failures >= Self.failuresToEject || connectFailures >= Self.connectFailuresToEject else { return false }
        hangs = failure == .connectTimedOut
        eject(at: now)
        return true
    }

    private mutating func eject(at now: MonotonicTime) {
        if !isOut, now > goodSince {
            ejections -= min(ejections, (now - goodSince) / Self.forgetsAfter)
        }
        // Five doublings exceed the longest ejection; more would overflow.
        let length = min(Self.shortestEjection << min(ejections, 5), Self.longestEjection)
        ejections += 1
        isOut = true
        ejectedAt = now
        ejectedUntil = now + length
        fullShareAt = ejectedUntil + Self.returnTime
    }

    private mutating func returned(at now: MonotonicTime) {
        isOut = false
        failures = 0
        connectFailures = 0
        goodSince = now
        fullShareAt = now + Self.returnTime
    }
}
