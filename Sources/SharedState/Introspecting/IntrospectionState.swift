import Time

/// The known outcomes of one tenant's opaque tokens, and the introspections under way. A value without I/O.
///
/// Against a flood of forged tokens: refused tokens are remembered separately, so that they evict no active one; the
/// number of introspections at once is limited, and half of them are reserved for tokens that were active before.
///
/// After a failure the server is not called for a moment. A single token may cause a failure that others do not: such
/// failures count for all tokens only after several tokens in a row. Tokens that were active before are tried meanwhile,
/// one at a time.
struct IntrospectionState {
    /// Tokens of each kind: less than 10 MiB at a typical kilobyte a response.
    static let mostRemembered = 8192
    /// Introspections at once of tokens that were never active.
    static let mostConcurrent = 64
    /// Seconds without a call after the server has failed.
    static let quietTime = 1.0
    /// Failing tokens in a row that count as a failure of the server.
    static let failuresOfServer = 3
    /// Seconds between two probes in the quiet time.
    static let probePause = 0.1

    enum Reply {
        case known(IntrospectionOutcome)
        /// Another request has begun the introspection.
        case underWay
        /// The caller is to call the server, and report the outcome.
        case call
    }

    private struct Entry {
        var outcome: IntrospectionOutcome
        var until: UnixTime
        var aheadFrom: UnixTime
    }

    private var good = BoundedMap<[UInt8], Entry, Never>(capacity: mostRemembered)
    private var bad = BoundedMap<[UInt8], Entry, Never>(capacity: mostRemembered)
    private var underWay: Set<[UInt8]> = []
    private var quietUntil = UnixTime.distantPast
    /// Tokens that failed since the last response, at most ``failuresOfServer``.
    private var failedTokens: Set<[UInt8]> = []
    /// The token that is tried in the quiet time.
    private var probe: [UInt8]?
    private var nextProbe = UnixTime.distantPast

    /// - Parameters:
    ///   - digest: The token's.
    ///   - isAhead: Whether to query the server although the outcome is still usable for a short time.
    mutating func lookUp(_ digest: [UInt8], isAhead: Bool, at now: UnixTime) -> Reply {
        let before = good[digest]
        if let before, now < (isAhead ? before.aheadFrom : before.until) { return .known(before.outcome) }
        if let refusal = bad[digest], now < refusal.until { return .known(refusal.outcome) }
        if underWay.contains(digest) { return .underWay }
        let quiet = isToCome(quietUntil, after: now, within: Self.quietTime)
        if quiet, before == nil || probe != nil || isToCome(nextProbe, after: now, within: Self.probePause) {
            return .known(unavailableForAll)
        }
        guard underWay.count < (before == nil ? Self.mostConcurrent : 2 * Self.mostConcurrent) else {
            return .known(.overloaded)
        }
        underWay.insert(digest)
        if quiet { probe = digest }
        return .call
    }

    /// Whether a time is still to come; not if it is further away than possible, after the clock was set back.
    private func isToCome(_ time: UnixTime, after now: UnixTime, within longest: Double) -> Bool {
        time > now && time - now <= longest
    }

    /// For all tokens, unless there is one that may be tried as a probe.
    private var unavailableForAll: IntrospectionOutcome {
        .unavailable(retryAfterSeconds: 1, isForAll: good.count == 0)
    }

    /// The server has answered.
    mutating func succeeded(_ digest: [UInt8], _ outcome: IntrospectionOutcome, at now: UnixTime) {
        ended(digest)
        switch outcome {
        case .active(_, let lifetime):
            // Kept beyond its time: tokens that were active have reserved calls.
            good.insert(Entry(outcome: outcome, until: lifetime.until, aheadFrom: lifetime.aheadFrom), for: digest)
            bad.remove(digest)
            serverAnswered()
        case .refused(_, let until):
            bad.insert(Entry(outcome: outcome, until: until, aheadFrom: until), for: digest)
            good.remove(digest)
            serverAnswered()
        case .unavailable, .overloaded: break
        }
    }

    /// The server has failed.
    ///
    /// - Returns: The outcome for the waiting requests.
    mutating func failed(_ digest: [UInt8], _ failure: IntrospectionFailure, at now: UnixTime) -> IntrospectionOutcome {
        if probe == digest { nextProbe = now + Self.probePause }
        ended(digest)
        let isForAll: Bool
        switch failure.reach {
        case .everyToken: isForAll = true
        case .unclear:
            if failedTokens.count < Self.failuresOfServer { failedTokens.insert(digest) }
            isForAll = failedTokens.count >= Self.failuresOfServer
        case .thisToken: isForAll = false
        }
        guard isForAll else {
            let outcome = IntrospectionOutcome.unavailable(retryAfterSeconds: 1, isForAll: false)
            let until = now + Self.quietTime
            bad.insert(Entry(outcome: outcome, until: until, aheadFrom: until), for: digest)
            return outcome
        }
        quietUntil = now + Self.quietTime
        return unavailableForAll
    }

    private mutating func ended(_ digest: [UInt8]) {
        underWay.remove(digest)
        if probe == digest { probe = nil }
    }

    private mutating func serverAnswered() {
        quietUntil = .distantPast
        failedTokens = []
    }
}
