public import Verification

/// For how long an answer is believed. Unix seconds, counted from when the server was asked.
public struct IntrospectionBelief: Sendable, Equatable {
    public let until: Double
    /// From when on the server is asked again, so that whoever is here often does not have to wait.
    public let aheadFrom: Double

    /// - Parameters:
    ///   - cache: Seconds for which answers are believed.
    ///   - asked: When the server was asked.
    init(cache: Double, asked: Double) {
        until = asked + cache
        // Of what is forgotten sooner nothing is left to ask ahead of.
        aheadFrom = cache >= 1 ? asked + cache * 0.8 : .infinity
    }
}

/// What came of asking.
public enum IntrospectionOutcome: Sendable {
    case active(Principal, IntrospectionBelief)
    /// Not good, or good for nothing here.
    ///
    /// - Parameter until: Unix seconds until which that is believed.
    case refused(VerificationFailure, until: Double)
    /// Nobody answered, or not what could be understood.
    ///
    /// - Parameter isForAll: Whether no other token need be asked about before.
    case unavailable(retryAfterSeconds: Int, isForAll: Bool)
    /// Too many other tokens are being asked about.
    case overloaded
}
