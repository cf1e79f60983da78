public import Time
public import Verification

/// For how long an answer is believed. Counted from when the server was asked.
public struct IntrospectionLifetime: Sendable, Equatable {
    public let until: UnixTime
    /// From when on the server is asked again, so that whoever is here often does not have to wait.
    public let aheadFrom: UnixTime

    /// - Parameters:
    ///   - cache: Seconds for which answers are believed.
    ///   - asked: When the server was asked.
    init(cache: Double, asked: UnixTime) {
        until = asked + cache
        // Of what is forgotten sooner nothing is left to ask ahead of.
        aheadFrom = cache >= 1 ? asked + cache * 0.8 : .distantFuture
    }
}

/// What came of asking.
public enum IntrospectionOutcome: Sendable {
    case active(Principal, IntrospectionLifetime)
    /// Not good, or good for nothing here.
    ///
    /// - Parameter until: The time until which that is believed.
    case refused(VerificationFailure, until: UnixTime)
    /// Nobody answered, or not what could be understood.
    ///
    /// - Parameter isForAll: Whether no other token need be asked about before.
    case unavailable(retryAfterSeconds: Int, isForAll: Bool)
    /// Too many other tokens are being asked about.
    case overloaded
}
