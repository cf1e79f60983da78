public import Time
public import Verification

/// How long an outcome is used, counted from the request to the server.
public struct IntrospectionLifetime: Sendable, Equatable {
    public let until: UnixTime
    /// The time from which the server is queried again in advance, so that frequent callers do not wait.
    public let aheadFrom: UnixTime

    /// - Parameters:
    ///   - cache: Seconds for which an outcome is used.
    ///   - asked: The time of the request.
    init(cache: Double, asked: UnixTime) {
        until = asked + cache
        // Below a second there is no time to query in advance.
        aheadFrom = cache >= 1 ? asked + cache * 0.8 : .distantFuture
    }
}

/// The outcome of an introspection.
public enum IntrospectionOutcome: Sendable {
    case active(Principal, IntrospectionLifetime)
    /// The token is not active, or not acceptable here.
    ///
    /// - Parameter until: The time until which that is used.
    case refused(VerificationFailure, until: UnixTime)
    /// There was no response, or an unreadable one.
    ///
    /// - Parameter isForAll: Whether other tokens need not be introspected until then either.
    case unavailable(retryAfterSeconds: Int, isForAll: Bool)
    /// Too many other tokens are being introspected.
    case overloaded
}
