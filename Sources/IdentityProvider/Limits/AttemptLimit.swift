/// How often something may be tried: so many at once, and then so many a second.
public struct AttemptLimit: Sendable, Hashable {
    /// Keeps the tallies of limits apart that share keys.
    public let name: String
    public let perSecond: Int
    public let burst: Int

    /// - Parameters:
    ///   - name: Of its own.
    ///   - perSecond: 1 to 1,000,000.
    ///   - burst: 1 to 1,000,000.
    public init(name: String, perSecond: Int, burst: Int) {
        self.name = name
        self.perSecond = min(max(perSecond, 1), 1_000_000)
        self.burst = min(max(burst, 1), 1_000_000)
    }

    /// Exchanges, tokens and sessions, for one address: each costs a signature and writes to the store. Behind one
    /// address there may be a whole office or a mobile network, whose apps all come back at once after a break; they
    /// are not told from one flood but by how long it goes on.
    public static let exchanges = AttemptLimit(name: "exchanges", perSecond: 50, burst: 200)

    /// Questions about tokens and users, for one address: servers ask them from one, for each request of their own, and
    /// nothing is written for an answer. What they use up is not taken from who signs in from the same address.
    public static let questions = AttemptLimit(name: "questions", perSecond: 500, burst: 1000)

    /// New sessions of one account: each is kept in the store, and pushes out the oldest of 256. Nobody signs in to ten
    /// devices in a second; apps that sign in anew at each start, at the same moment, are within the burst.
    public static let accountSessions = AttemptLimit(name: "account_sessions", perSecond: 10, burst: 100)

    /// What one client with a secret asks of the token endpoint, from wherever: as much as an app has of users who come
    /// back after a break, and less than would keep the other tenants' clients waiting.
    public static let clientTokens = AttemptLimit(name: "client_tokens", perSecond: 500, burst: 2000)

    /// Sign-in pages, logins and their callbacks, for one address: people click them, and each keeps something in the
    /// store until it expires.
    public static let pages = AttemptLimit(name: "pages", perSecond: 20, burst: 100)

    /// Wrong secrets of one client from one address: nobody guesses 128 bits at one a second, nor a weak secret within
    /// the days that it takes somebody to look at the log. The burst is for a deployment whose instances get a new secret
    /// one by one.
    public static let wrongSecrets = AttemptLimit(name: "wrong_secrets", perSecond: 1, burst: 10)
}

/// Whether one more attempt is within its limit.
public enum AttemptAnswer: Sendable, Equatable {
    /// - Parameter remaining: How many more may follow at once.
    case admitted(remaining: Int)
    /// - Parameter retryAfterSeconds: When one would be admitted; 1 at least.
    case refused(retryAfterSeconds: Int)
}

/// The generic cell rate algorithm (ITU-T I.371, virtual scheduling): all that is remembered of a key is the time at
/// which its allowance is full again. In whole microseconds, so that a long life adds up no rounding.
struct CellRate: Sendable {
    /// What one attempt uses up.
    private let interval: Int64
    /// What a full allowance holds.
    private let allowance: Int64

    init(_ limit: AttemptLimit) {
        interval = 1_000_000 / Int64(limit.perSecond)
        allowance = interval * Int64(limit.burst)
    }

    /// - Parameters:
    ///   - fullAt: What is remembered of the key; `.min` for nothing.
    ///   - now: In microseconds.
    /// - Returns: The answer, and what to remember then.
    func admit(fullAt: Int64, at now: Int64) -> (answer: AttemptAnswer, fullAt: Int64) {
        // A clock that was set back must not keep anybody out for longer than an empty allowance does.
        let used = min(max(fullAt, now), now + allowance)
        let after = used + interval
        guard after - now <= allowance else {
            let wait = after - allowance - now
            return (.refused(retryAfterSeconds: max(1, Int((wait + 999_999) / 1_000_000))), used)
        }
        return (.admitted(remaining: Int((allowance - (after - now)) / interval)), after)
    }
}
