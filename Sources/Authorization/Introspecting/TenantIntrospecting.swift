package import SharedState
package import Tenants
package import Time

/// Asking about a tenant's opaque tokens, as one event loop sees it.
///
/// Requests with one unknown token, for which the server takes its time, must not hold up those whose tokens it knows:
/// half of the places are for tokens that were good before.
package final class TenantIntrospecting {
    /// Requests of a loop that may wait for answers about tokens that were never good here; twice as many in all.
    package static let mostWaiting = 256
    /// Tokens of which is remembered that they were good.
    private static let mostRemembered = 8192
    /// Seconds; a clock that was set back asks again.
    private static let longestQuiet = 30.0

    /// A token by its hash, which nobody outside can aim at.
    private struct Name: Hashable {
        let first: UInt64
        let second: UInt64

        init(_ key: TokenCache.Key) {
            (first, second) = key.hash
        }
    }

    package let rules: Introspection
    private var good = DigestMemory<Name, Void>(capacity: mostRemembered)
    private var waiting = 0
    private var quietUntil = UnixTime.distantPast

    init(_ rules: Introspection) {
        self.rules = rules
    }

    /// Gives whether there is room for one more.
    package func begin(_ step: IntrospectionStep) -> Bool {
        let wasGood = good[Name(step.key)] != nil
        guard waiting < (wasGood ? 2 * Self.mostWaiting : Self.mostWaiting) else { return false }
        waiting += 1
        return true
    }

    package func ended(_ step: IntrospectionStep, _ outcome: IntrospectionOutcome, at now: UnixTime) {
        waiting -= 1
        switch outcome {
        case .active:
            good.insert((), for: Name(step.key))
            quietUntil = .distantPast
        case .refused:
            good.remove(Name(step.key))
            quietUntil = .distantPast
        case .unavailable(let seconds, isForAll: true): quietUntil = now + Double(seconds)
        case .unavailable, .overloaded: break
        }
    }

    /// Seconds in which nobody is asked, because nobody answered a moment ago; nil: ask.
    package func retryAfterSeconds(at now: UnixTime) -> Int? {
        let left = quietUntil - now
        return left > 0 && left <= Self.longestQuiet ? Int(left.rounded(.up)) : nil
    }
}
