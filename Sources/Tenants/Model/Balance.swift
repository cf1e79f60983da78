/// How requests are shared out among the servers of a backend.
public enum Balance: String, Sendable, Hashable, CaseIterable {
    /// In turns, each server as often as its weight says.
    case roundRobin = "round_robin"
    /// Of two servers picked by weight, the one with fewer requests under way.
    case leastRequests = "least_requests"
    /// The same server for the same subject, as long as it is there; by weight, at random, where nobody signed in.
    case hashSubject = "hash:subject"
}

/// The active check of each server of a backend.
public struct HealthCheck: Sendable, Equatable {
    /// What is requested by GET; a 2xx is good. Starts with `/`.
    public var path: String
    public var every = Schema.health.every.standard
    /// Good checks in a row until a server is used again.
    public var healthyAfter = Schema.health.healthyAfter.standard
    /// Bad checks in a row until a server is left out.
    public var unhealthyAfter = Schema.health.unhealthyAfter.standard
}

/// Which requests are tried again on another server.
public struct RetryRules: Sendable, Equatable {
    enum Failure: String, Sendable, CaseIterable {
        case connectFailure = "connect_failure"
        case resetBeforeResponse = "reset_before_response"
    }

    /// Tries of one request altogether; 1: none is repeated.
    public var attempts = Schema.retries.attempts.standard
    /// Whether a request moves on, whatever its method, when no connection came about: nothing was sent.
    public var afterConnectFailure: Bool = true
    /// Whether a request without a body is repeated when the connection broke before a byte of the answer.
    public var afterReset: Bool = true
    /// What `afterReset` is good for; idempotent all of them (RFC 9110 section 9.2.2).
    public var methods = Schema.retries.methods.standard
}
