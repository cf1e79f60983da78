import Time

/// How often the store is queried for changes, and the loops get the time of the last contact, while there are no
/// changes. Changes are distributed at once.
public struct RevocationPace: Sendable, Equatable {
    /// How long the store waits for changes before it returns none.
    var wait: Duration
    /// Nanoseconds between two updates of the loops without changes.
    var quiet: UInt64

    /// The shortest pace.
    public static let closest = RevocationPace(wait: .milliseconds(250), quiet: 0)
    private static let widest = Duration.seconds(1)
    /// A local store reports writes itself, so that only the staleness depends on the pace.
    private static let widestOfLocal = Duration.seconds(4)

    public init(wait: Duration, quiet: UInt64) {
        self.wait = wait
        self.quiet = quiet
    }

    /// - Parameters:
    ///   - limits: The maximum staleness of each tenant; the pace stays well below.
    ///   - isLocal: Whether the store is on this machine.
    public init(staleAfter limits: [Duration], isLocal: Bool) {
        let least = limits.min() ?? .zero
        wait = max(Self.closest.wait, min(isLocal ? Self.widestOfLocal : Self.widest, least / 8))
        quiet = least < Self.widest * 8 ? 0 : (least / 8).nanosecondsClamped
    }
}
