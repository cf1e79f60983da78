import Time

/// What one event loop holds of one server: what probes say of it, and what became of the loop's own requests.
///
/// Probes have the last word: a server that they found down gets nothing. The loop's own failures only *eject* it,
/// which means that the others are preferred for a while. After that it is on trial, with one request a second until
/// one is answered, and its share grows slowly.
///
/// When there are no others, an ejected server is used nonetheless (``isLastResort(at:)``). A server that refuses or
/// resets costs its callers a round trip and no more, and serves again in the moment it is back. Resets and silence may
/// be the fault of a single request that a caller repeats, and this must not cost the other callers the tenant's only
/// server. Only a server on which connecting hangs would hold every caller for the whole connect timeout: one request a
/// second tries it, and the rest are told at once that there is no server.
struct ServerHealth: Equatable {
    /// In 1/1024.
    static let fullShare = 1024
    /// A tenth: enough to warm caches and pools, too little to drown a server that has just started.
    static let firstShare = 102
    static let returnTime: UInt64 = 30 * second
    /// Failures of any kind without an answer in between. A busy server that works answers others in the meantime, so that a few
    /// requests that make it fail do not add up.
    static let failuresToEject = 5
    /// Failures to connect without a connection or an answer in between. No request can bring these about, and the caller pays for each with a retry or the connect timeout. One alone
    /// may be a lost packet or a listener that restarts.
    static let connectFailuresToEject = 2
    /// About as long as a process takes to restart.
    static let shortestEjection: UInt64 = 10 * second
    static let longestEjection: UInt64 = 300 * second
    /// A good spell this long makes the next ejection one step shorter.
    static let forgetsAfter = longestEjection
    /// At the usual connect timeout of 2 s, a loop has no more than two callers hanging on a dead server.
    static let trialInterval: UInt64 = second

    private static let second: UInt64 = 1_000_000_000

    private(set) var isProbedUp = true
    /// Ejected or on trial: it has failed and not answered since.
    private(set) var isOut = false
    /// How it was last found: connecting to it hangs.
    private var hangs = false
    private var failures = 0
    private var connectFailures = 0
    private var ejections: UInt64 = 0
    private var ejectedAt = MonotonicTime.distantPast
    private var ejectedUntil = MonotonicTime.distantPast
    private var nextTrial = MonotonicTime.distantPast
    private var goodSince = MonotonicTime.distantPast
    private var fullShareAt = MonotonicTime.distantPast

    // MARK: Asking

    /// It can be chosen like any other, for its share.
    func isAvailable(at now: MonotonicTime) -> Bool {
        isProbedUp && (!isOut || (now >= ejectedUntil && now >= nextTrial))
    }

    /// It can be chosen when no server is available.
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

    // MARK: Telling

    /// What probes found (see ``ProbeTally``). A server that they bring up has had its trial; telling the same state
    /// again does nothing.
    mutating func probed(isUp: Bool, at now: MonotonicTime) {
        guard isUp != isProbedUp else { return }
        isProbedUp = isUp
        if isUp { returned(at: now) }
    }

    /// Nobody probes it any more, or not as before: it counts as up until it shows otherwise.
    mutating func forgetProbes() { isProbedUp = true }

    /// A request is on its way to it.
    mutating func chosen(at now: MonotonicTime) {
        if isOut { nextTrial = now + Self.trialInterval }
    }

    /// A connection to it stands. It still has to answer, but it no longer holds those who connect.
    /// - Parameter begunAt: When connecting began.
    mutating func connected(begunAt: MonotonicTime) {
        guard begunAt >= ejectedAt else { return }
        hangs = false
        connectFailures = 0
    }

    /// The head of a final answer has come, whatever its status.
    /// - Parameter begunAt: When the server was chosen for that request. An answer to one from before the ejection
    ///   shows no more than what the failures have disproved.
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

    /// - Parameter begunAt: When the server was chosen for the request, or connecting began. The failures of what was
    ///   begun before an ejection led to it or belong to it, even if they show only after it: they do not count again.
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
        // Five doublings pass the longest ejection; more would only run out of bits.
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
