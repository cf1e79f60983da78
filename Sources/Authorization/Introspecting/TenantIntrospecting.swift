package import SharedState
package import Tenants
package import Time

/// Introspection of a tenant's opaque tokens on one event loop.
///
/// Requests with unknown tokens, for which the server may be slow, must not block those with known ones: half of the
/// capacity is reserved for tokens that were valid before.
package final class TenantIntrospecting {
    /// Requests of a loop that may wait for tokens that were never valid here; twice as many in all.
    package static let maximumWaiting = 256
    /// How many previously valid tokens are remembered.
    private static let maximumRemembered = 8192
    /// Seconds; if the clock was set back, requests are sent again.
    private static let maximumQuietTime = 30.0

    package let rules: Introspection
    private var good = BoundedMap<TokenDigest, Void, Never>(capacity: maximumRemembered)
    private var waiting = 0
    private var quietUntil = UnixTime.distantPast

    init(_ rules: Introspection) {
        self.rules = rules
    }

    /// Returns whether one more may begin.
    package func begin(_ step: IntrospectionStep) -> Bool {
        let wasGood = good[step.digest] != nil
        guard waiting < (wasGood ? 2 * Self.maximumWaiting : Self.maximumWaiting) else { return false }
        waiting += 1
        return true
    }

    package func ended(_ step: IntrospectionStep, _ outcome: IntrospectionOutcome, at now: UnixTime) {
        waiting -= 1
        switch outcome {
        case .active:
            good.insert((), for: step.digest)
            quietUntil = .distantPast
        case .refused:
            good.remove(step.digest)
            quietUntil = .distantPast
        case .unavailable(let seconds, isForAll: true): quietUntil = now + Double(seconds)
        case .unavailable, .overloaded: break
        }
    }

    /// Seconds in which no request is sent, because the last one failed; nil to send.
    package func retryAfterSeconds(at now: UnixTime) -> Int? {
        let left = quietUntil - now
        return left > 0 && left <= Self.maximumQuietTime ? Int(left.rounded(.up)) : nil
    }
}
