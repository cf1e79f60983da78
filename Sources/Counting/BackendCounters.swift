/// Counts of requests to one server by outcome, on one event loop.
public struct BackendCounters: Sendable, Equatable {
    public var answers: UInt64 = 0
    public var failures: UInt64 = 0
    public var timeouts: UInt64 = 0
    public var connectFailures: UInt64 = 0

    @inlinable
    public init(answers: UInt64 = 0, failures: UInt64 = 0, timeouts: UInt64 = 0, connectFailures: UInt64 = 0) {
        self.answers = answers
        self.failures = failures
        self.timeouts = timeouts
        self.connectFailures = connectFailures
    }

    public static func + (left: BackendCounters, right: BackendCounters) -> BackendCounters {
        BackendCounters(
            answers: left.answers + right.answers,
            failures: left.failures + right.failures,
            timeouts: left.timeouts + right.timeouts,
            connectFailures: left.connectFailures + right.connectFailures
        )
    }
}
