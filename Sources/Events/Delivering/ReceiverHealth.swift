import Time

/// How one receiver has answered lately, which decides how many requests it is sent at once.
///
/// - To one that is down it is a single one, with pauses, so that what waits has used few of its attempts up when it is
///   back.
/// - One of many begins with few, gets more while it answers quickly, and has a single one while it is slow or fails.
struct ReceiverHealth: Sendable, Equatable {
    /// To the webhook, of its two queues: together as many as there are connections to a server.
    static let mostOfEvents = 24
    static let mostOfRefusals = 8
    /// To one of many.
    static let mostToOneOfMany = 8
    private static let firstToOneOfMany = 2
    /// Failures in a row after which it is taken to be down.
    static let mostFailures = 8
    /// Seconds from which a response is slow.
    static let slow = 3.0
    /// Seconds between two requests to one that is down, at most.
    private static let longestPause = 60.0

    /// Whether the channel has no other receiver that has to be protected from this one.
    let isOnly: Bool
    private(set) var failures = 0
    private var most: Int
    private var nextAt = UnixTime(0)

    /// - Parameter most: Requests under way to a receiver that is the only one; nil for one of many.
    init(most: Int? = nil) {
        isOnly = most != nil
        self.most = most ?? Self.firstToOneOfMany
    }

    var isDown: Bool { failures >= Self.mostFailures }

    /// Whether it keeps requests for long, or answers none: such receivers share a part of the places.
    var isLagging: Bool { !isOnly && most == 1 }

    /// How many requests may be under way.
    func limit(at now: UnixTime) -> Int {
        guard isDown else { return most }
        return nextAt <= now ? 1 : 0
    }

    /// - Parameter seconds: That it took to answer.
    mutating func succeeded(after seconds: Double) {
        failures = 0
        guard !isOnly else { return }
        most = seconds < Self.slow ? min(most + 1, Self.mostToOneOfMany) : 1
    }

    mutating func failed(at now: UnixTime) {
        failures += 1
        if !isOnly { most = 1 }
        guard isDown else { return }
        var pause = 1.0
        for _ in Self.mostFailures..<failures where pause < Self.longestPause { pause *= 2 }
        nextAt = now + min(pause, Self.longestPause)
    }
}
