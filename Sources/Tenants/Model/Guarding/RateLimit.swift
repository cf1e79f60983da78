public import ConfigurationText

/// One entry of `rate_limits`, enforced by the generic cell rate algorithm.
public struct RateLimit: Sendable, Equatable {
    /// Whose requests are counted together.
    public enum Key: Sendable, Equatable {
        /// The client's address; IPv6 addresses by their first 64 bits.
        case address
        /// The verified caller's `sub`.
        case subject
        /// All of the tenant's.
        case tenant
        /// A claim of the verified caller, as ``Identity/Header/claim`` names it.
        case claim(String)
    }

    public var key: Key
    /// Requests in a ``period``.
    public var count: Int
    public var period: Duration
    /// Maximum of requests at once.
    public var burst: Int
    /// nil: all paths.
    public var path: PathPattern?
    /// Whether all instances count together, through the store.
    public var isShared: Bool
    /// Requests that one instance may allow before the store knows of them: 1 to ``burst``.
    public var ahead: Int
    public var mode: Tenant.Mode
    /// The line in tenants.yaml.
    public var line: SourceLine

    public init(
        key: Key,
        count: Int,
        period: Duration,
        burst: Int,
        path: PathPattern? = nil,
        isShared: Bool = false,
        ahead: Int? = nil,
        mode: Tenant.Mode = .enforce,
        line: SourceLine = 0
    ) {
        self.key = key
        self.count = count
        self.period = period
        self.burst = burst
        self.path = path
        self.isShared = isShared
        self.ahead = ahead ?? burst
        self.mode = mode
        self.line = line
    }

    /// The limit without its line, for comparisons.
    public var withoutLine: RateLimit {
        var limit = self
        limit.line = 0
        return limit
    }
}
