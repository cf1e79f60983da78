import Time

/// How a channel's receivers have answered lately, which decides how many requests are sent at once: to one that is
/// down a single one, with pauses, so that the others have used none of their attempts up when it is back.
struct ReceiverHealth: Sendable, Equatable {
    static let mostAtOnce = 32
    /// Failures in a row after which one request at a time is sent.
    static let mostFailures = 8
    /// Seconds between two requests then, at most.
    private static let longestPause = 60.0

    /// Whether the channel has one receiver. The failures of one of many say nothing of the others.
    let isSingle: Bool
    private(set) var failures = 0
    private var nextAt = UnixTime(0)

    init(isSingle: Bool) {
        self.isSingle = isSingle
    }

    var isDown: Bool { isSingle && failures >= Self.mostFailures }

    /// How many requests may be under way.
    func limit(at now: UnixTime) -> Int {
        guard isDown else { return Self.mostAtOnce }
        return nextAt <= now ? 1 : 0
    }

    mutating func succeeded() { failures = 0 }

    mutating func failed(at now: UnixTime) {
        failures += 1
        guard isDown else { return }
        var pause = 1.0
        for _ in Self.mostFailures..<failures where pause < Self.longestPause { pause *= 2 }
        nextAt = now + min(pause, Self.longestPause)
    }
}
