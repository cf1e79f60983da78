import Time

/// How often the revocations' store is asked, and the loops are told that it was, while nothing happens. What happens is
/// told at once.
public struct RevocationPace: Sendable, Equatable {
    /// How long the store waits for news before it says that there is none.
    var wait: Duration
    /// Nanoseconds for which the loops need not hear of it that there was no news.
    var quiet: UInt64

    /// As often as it can be needed.
    public static let closest = RevocationPace(wait: .milliseconds(250), quiet: 0)
    private static let widest = Duration.seconds(1)
    /// While a store on this machine is not written to, only the staleness depends on it.
    private static let widestOfLocal = Duration.seconds(4)

    public init(wait: Duration, quiet: UInt64) {
        self.wait = wait
        self.quiet = quiet
    }

    /// - Parameters:
    ///   - limits: How old the copy of each tenant may be: it stays well below.
    ///   - isLocal: Whether the store is on this machine.
    public init(staleAfter limits: [Duration], isLocal: Bool) {
        let least = limits.min() ?? .zero
        wait = max(Self.closest.wait, min(isLocal ? Self.widestOfLocal : Self.widest, least / 8))
        quiet = least < Self.widest * 8 ? 0 : (least / 8).nanosecondsClamped
    }
}
