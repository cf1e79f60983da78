import SharedState
import Time

/// Limits how often a loop requests the missing keys of each source, so that a flood of forged tokens does not reach the
/// key set service once per token.
struct KeyFetchLimiter {
    /// Seconds without another fetch after one that brought nothing new.
    private static let quietTime = 1.0

    /// By source.
    private var quietUntil: [UnixTime]

    init(count: Int) {
        quietUntil = Array(repeating: .distantPast, count: count)
    }

    /// - Parameter now: If the clock was set back, a fetch is allowed.
    func mayFetch(_ source: Int, at now: UnixTime) -> Bool {
        let wait = quietUntil[source] - now
        return wait <= 0 || wait > Self.maximumWait
    }

    /// Seconds after which a client whose issuer's keys are missing may try again.
    func retryAfterSeconds(_ source: Int, at now: UnixTime) -> Int {
        Int(min(max(1, (quietUntil[source] - now).rounded(.up)), Self.maximumWait))
    }

    mutating func fetched(_ source: Int, _ result: KeySetResult, at now: UnixTime) {
        switch result {
        case .decideAgain: quietUntil[source] = .distantPast
        case .nothingNew: quietUntil[source] = now + Self.quietTime
        case .unavailable(let seconds): quietUntil[source] = now + min(Double(seconds), Self.maximumWait)
        }
    }

    private static let maximumWait = 30.0
}
