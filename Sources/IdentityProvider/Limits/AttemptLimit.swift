/// A rate limit for attempts: a burst, and then a number per second.
public struct AttemptLimit: Sendable, Hashable {
    /// Separates the counts of limits that use the same keys.
    public let name: String
    public let perSecond: Int
    public let burst: Int

    /// - Parameters:
    ///   - name: Unique.
    ///   - perSecond: 1 to 1,000,000.
    ///   - burst: 1 to 1,000,000.
    public init(name: String, perSecond: Int, burst: Int) {
        self.name = name
        self.perSecond = min(max(perSecond, 1), 1_000_000)
        self.burst = min(max(burst, 1), 1_000_000)
    }

    /// Exchanges, tokens and sessions, per address: each costs a signature and writes to the store. An address may be
    /// an office or a mobile network whose apps all return at once after an outage; only its duration tells that from a
    /// flood.
    public static let exchanges = AttemptLimit(name: "exchanges", perSecond: 50, burst: 200)

    /// Queries about tokens and users, per address: servers send them from one address, for each request of their own,
    /// and they write nothing. They do not count against sign-ins from the same address.
    public static let queries = AttemptLimit(name: "queries", perSecond: 500, burst: 1000)

    /// Logout tokens and security events, per address: an issuer sends those of all its users from a few, and each costs a
    /// signature and a write to the store.
    public static let signals = AttemptLimit(name: "signals", perSecond: 200, burst: 1000)

    /// New sessions per account: each is stored, and pushes out the oldest of 256. No user signs in to ten devices in a
    /// second; apps that sign in again at each start, all at once, are within the burst.
    public static let accountSessions = AttemptLimit(name: "account_sessions", perSecond: 10, burst: 100)

    /// Requests of one client with a secret at the token endpoint, from any address: enough for an app whose users
    /// return after an outage, and not so many that other tenants' clients have to wait.
    public static let clientTokens = AttemptLimit(name: "client_tokens", perSecond: 500, burst: 2000)

    /// Sign-in pages, logins and their callbacks, per address: users click them, and each stores something until it
    /// expires.
    public static let pages = AttemptLimit(name: "pages", perSecond: 20, burst: 100)

    /// The same, per network: one site has 65,536 networks of 64 bits (RFC 6177), each of which would be an address of
    /// its own, and could store sign-ins under way without an end.
    static let pageNetworks = AttemptLimit(name: "page_networks", perSecond: 160, burst: 800)

    /// Wrong secrets of one client from one address: one guess per second finds neither 128 bits, nor a weak secret
    /// within the days until an operator reads the log. The burst is for a deployment whose instances get a new secret
    /// one by one.
    public static let wrongSecrets = AttemptLimit(name: "wrong_secrets", perSecond: 1, burst: 10)
}

/// Whether an attempt is within its limit.
public enum AttemptDecision: Sendable, Equatable {
    /// - Parameter remaining: How many more are allowed at once.
    case admitted(remaining: Int)
    /// - Parameter retryAfterSeconds: When one would be allowed; at least 1.
    case refused(retryAfterSeconds: Int)
}

/// The generic cell rate algorithm (ITU-T I.371, virtual scheduling): the only state of a key is the time at which its
/// allowance is full again. In whole microseconds, so that rounding errors do not accumulate.
struct CellRate: Sendable {
    /// The cost of one attempt.
    private let interval: Int64
    /// The size of a full allowance.
    private let allowance: Int64

    init(_ limit: AttemptLimit) {
        interval = 1_000_000 / Int64(limit.perSecond)
        allowance = interval * Int64(limit.burst)
    }

    /// - Parameters:
    ///   - fullAt: The state of the key; `.min` for none.
    ///   - now: In microseconds.
    /// - Returns: The decision, and the new state.
    func admit(fullAt: Int64, at now: Int64) -> (decision: AttemptDecision, fullAt: Int64) {
        // If the clock was set back, the wait is at most that of an empty allowance.
        let used = min(max(fullAt, now), now + allowance)
        let after = used + interval
        guard after - now <= allowance else {
            let wait = after - allowance - now
            return (.refused(retryAfterSeconds: max(1, Int((wait + 999_999) / 1_000_000))), used)
        }
        return (.admitted(remaining: Int((allowance - (after - now)) / interval)), after)
    }
}
