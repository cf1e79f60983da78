import Time
import Verification

/// Limits slow signature checks to about half of a loop's time, in short bursts. In a flood of tokens with costly
/// signatures only the requests that bring them wait.
struct SlowCheckBudget {
    /// Seconds that may be spent at once.
    private static let burst = 0.001
    private static let share = 0.5

    private var left = burst
    private var lastUpdate = UnixTime.distantPast

    /// Whether a check that takes `cost` seconds fits the budget now; if so, its cost is deducted.
    ///
    /// - Parameter now: If the clock was set back, the budget stays as it is.
    mutating func allows(_ cost: Double, at now: UnixTime) -> Bool {
        left = min(Self.burst, left + max(0, now - lastUpdate) * Self.share)
        lastUpdate = now
        guard cost <= left else { return false }
        left -= cost
        return true
    }
}

extension SignatureAlgorithm {
    /// Seconds that a signature check takes, as measured on OpenSSL 3.0; nil if it is quick enough for any loop.
    var slowCheckCost: Double? {
        switch self {
        case .es256, .edDSA: 0.000_1
        case .es384: 0.000_6
        case .es512: 0.000_9
        case .hs256, .hs384, .hs512, .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: nil
        }
    }
}
