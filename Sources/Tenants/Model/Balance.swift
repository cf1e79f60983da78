/// How requests are distributed among the servers of a backend.
public enum Balance: String, Sendable, Hashable, CaseIterable {
    /// In turns, each server as often as its weight says.
    case roundRobin = "round_robin"
    /// Of two servers picked by weight, the one with fewer requests under way.
    case leastRequests = "least_requests"
    /// The same server for the same subject while it is available; at random by weight without a caller.
    case hashSubject = "hash:subject"
}

/// The active check of each server of a backend.
public struct HealthCheck: Sendable, Hashable {
    /// The path of the GET request; a 2xx is healthy. Starts with `/`.
    public var path: String
    public var every = Schema.health.every.default
    /// Healthy checks in a row until a server is used again.
    public var healthyAfter = Schema.health.healthyAfter.default
    /// Failed checks in a row until a server is ejected.
    public var unhealthyAfter = Schema.health.unhealthyAfter.default
}

/// Which requests are tried again on another server.
public struct RetryRules: Sendable, Equatable {
    enum Failure: String, Sendable, CaseIterable {
        case connectFailure = "connect_failure"
        case resetBeforeResponse = "reset_before_response"
    }

    /// Attempts per request; 1: none is repeated.
    public var attempts = Schema.retries.attempts.default
    /// Whether a request, whatever its method, is sent to another server after a failed connect: nothing was sent.
    public var afterConnectFailure: Bool = true
    /// Whether a request without a body is repeated when the connection broke before the first byte of the response.
    public var afterReset: Bool = true
    /// The methods that `afterReset` applies to; all are idempotent (RFC 9110 section 9.2.2).
    public var methods = Schema.retries.methods.default
}
