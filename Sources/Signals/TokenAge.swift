public import Time

/// How long a token that is used once is accepted after its `iat`, and how long its `jti` is remembered.
public enum TokenAge {
    /// Seconds by which the clocks of the sender and of the instances may differ.
    private static let clockDifference = 120.0

    /// Seconds after `iat`. Logout tokens live for minutes; a day is for senders that queue them.
    public static let longestOfLogoutToken = 86_400.0
    /// Security events have no `exp` (RFC 8417 section 2.2): transmitters repeat them until they are received.
    public static let longestOfSecurityEvent = 7 * 86_400.0

    static func isWithin(_ longest: Double, issuedAt: UnixTime, now: UnixTime) -> Bool {
        now - issuedAt <= longest
    }

    /// - Returns: Seconds for which a `jti` has to be remembered so that the token cannot be used again.
    public static func memory(_ longest: Double, issuedAt: UnixTime, now: UnixTime) -> Double {
        max(issuedAt + longest - now, 0) + clockDifference
    }
}
