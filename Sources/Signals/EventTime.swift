package import Time

/// When an event happened, within the bounds of what is believed of a transmitter.
package enum EventTime {
    /// The year 5138 in seconds: later values are milliseconds.
    private static let earliestMilliseconds = 1e11
    /// Seconds before `iat` at which an event may have happened. An older date would revoke too little.
    package static let longestDelay = 7 * 86_400.0

    /// - Parameters:
    ///   - claimed: `event_timestamp` or `toe`, in seconds or milliseconds; nil if there is none.
    ///   - issuedAt: `iat` of the token.
    /// - Returns: Never in the future, and never more than seven days before `iat`.
    package static func bounded(_ claimed: Double?, issuedAt: UnixTime, now: UnixTime) -> UnixTime {
        let latest = min(now, issuedAt)
        guard let claimed, claimed.isFinite else { return latest }
        let time = UnixTime(claimed < earliestMilliseconds ? claimed : claimed / 1000)
        return min(now, max(time, latest - longestDelay))
    }
}
