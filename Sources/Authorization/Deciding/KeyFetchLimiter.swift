import SharedState
import Tenants
import Time

/// Limits how often a loop requests the missing keys of each source, so that a flood of forged tokens does not reach the
/// key set service once per token.
struct KeyFetchLimiter {
    /// Seconds without another fetch after one that brought nothing new.
    private static let quietTime = 1.0

    /// Sources that are remembered before those are forgotten whose time has passed.
    private static let mostSources = 1024

    /// Sources without a time may be fetched.
    private var quietUntil: [RemoteKeySource: UnixTime] = [:]

    /// Sources that are remembered.
    var count: Int { quietUntil.count }

    /// - Parameter now: If the clock was set back, a fetch is allowed.
    func mayFetch(_ source: RemoteKeySource, at now: UnixTime) -> Bool {
        guard let end = quietUntil[source] else { return true }
        let wait = end - now
        return wait <= 0 || wait > Self.maximumWait
    }

    /// Seconds after which a client whose issuer's keys are missing may try again.
    func retryAfterSeconds(_ source: RemoteKeySource, at now: UnixTime) -> Int {
        let wait = (quietUntil[source] ?? now) - now
        return Int(min(max(1, wait.rounded(.up)), Self.maximumWait))
    }

    mutating func fetched(_ source: RemoteKeySource, _ result: KeySetResult, at now: UnixTime) {
        if quietUntil.count >= Self.mostSources { quietUntil = quietUntil.filter { $0.value > now } }
        switch result {
        case .decideAgain: quietUntil[source] = nil
        case .nothingNew: quietUntil[source] = now + Self.quietTime
        case .unavailable(let seconds): quietUntil[source] = now + min(Double(seconds), Self.maximumWait)
        }
    }

    private static let maximumWait = 30.0
}
