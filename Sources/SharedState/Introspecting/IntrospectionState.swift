import Time

/// What the process remembers of one tenant's opaque tokens, and which it is asking about. A value without I/O.
///
/// A flood of tokens that nobody has issued meets three bounds: those that were refused are remembered apart, so that
/// they push out no good one; only so many are asked about at once; and of these places half are kept for tokens that
/// were good before.
///
/// A server that fails is left alone for a moment. One token's failure says little, since the server may stumble over
/// just that: what can be the fault of a token counts for all only once several tokens have met it in a row. Tokens
/// that were good before are no such stumbling blocks, and are tried, one at a time, while all others wait.
struct IntrospectionState {
    /// Tokens; at a usual kilobyte an answer, less than 10 MiB of each kind.
    static let mostRemembered = 8192
    /// Tokens that are asked about at once and were never good.
    static let mostUnderWay = 64
    /// Seconds without another question after nobody has answered.
    static let quietTime = 1.0
    /// Tokens in a row whose failures are taken for the server's.
    static let failuresOfServer = 3
    /// Seconds between two tries in quiet time.
    static let probePause = 0.1

    enum Reply {
        case known(IntrospectionOutcome)
        /// Somebody has asked already.
        case underWay
        /// The caller is to ask, and to tell of it.
        case ask
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
    /// Tokens that failed since the server last answered, no more than matter.
    private var failedTokens: Set<[UInt8]> = []
    /// The token that is tried in quiet time.
    private var probe: [UInt8]?
    private var nextProbe = UnixTime.distantPast

    /// - Parameters:
    ///   - digest: Of the token.
    ///   - isAhead: Whether an answer that will be forgotten soon does not do.
    mutating func question(_ digest: [UInt8], isAhead: Bool, at now: UnixTime) -> Reply {
        let before = good[digest]
        if let before, now < (isAhead ? before.aheadFrom : before.until) { return .known(before.outcome) }
        if let refusal = bad[digest], now < refusal.until { return .known(refusal.outcome) }
        if underWay.contains(digest) { return .underWay }
        let quiet = isToCome(quietUntil, after: now, within: Self.quietTime)
        if quiet, before == nil || probe != nil || isToCome(nextProbe, after: now, within: Self.probePause) {
            return .known(unavailableForAll)
        }
        guard underWay.count < (before == nil ? Self.mostUnderWay : 2 * Self.mostUnderWay) else {
            return .known(.overloaded)
        }
        underWay.insert(digest)
        if quiet { probe = digest }
        return .ask
    }

    /// Whether a time is still to come. A clock that was set back asks again.
    private func isToCome(_ time: UnixTime, after now: UnixTime, within longest: Double) -> Bool {
        time > now && time - now <= longest
    }

    /// The loops are to go on asking here as long as there is a token that may be tried.
    private var unavailableForAll: IntrospectionOutcome {
        .unavailable(retryAfterSeconds: 1, isForAll: good.count == 0)
    }

    /// What the server has said.
    mutating func answered(_ digest: [UInt8], _ outcome: IntrospectionOutcome, at now: UnixTime) {
        landed(digest)
        switch outcome {
        case .active(_, let belief):
            // Kept past its time too: who was good once has a place among the questions.
            good.insert(Entry(outcome: outcome, until: belief.until, aheadFrom: belief.aheadFrom), for: digest)
            bad.remove(digest)
            hasAnswered()
        case .refused(_, let until):
            bad.insert(Entry(outcome: outcome, until: until, aheadFrom: until), for: digest)
            good.remove(digest)
            hasAnswered()
        case .unavailable, .overloaded: break
        }
    }

    /// The server has not told.
    ///
    /// - Returns: What that comes to for those who have asked.
    mutating func failed(_ digest: [UInt8], _ trouble: IntrospectionFailure, at now: UnixTime) -> IntrospectionOutcome {
        if probe == digest { nextProbe = now + Self.probePause }
        landed(digest)
        let isForAll: Bool
        switch trouble.reach {
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

    private mutating func landed(_ digest: [UInt8]) {
        underWay.remove(digest)
        if probe == digest { probe = nil }
    }

    private mutating func hasAnswered() {
        quietUntil = .distantPast
        failedTokens = []
    }
}
