/// What became of the requests to one server, on one event loop.
struct BackendCounters: Sendable, Equatable {
    var answers: UInt64 = 0
    var failures: UInt64 = 0
    var timeouts: UInt64 = 0
    var connectFailures: UInt64 = 0

    static func + (left: BackendCounters, right: BackendCounters) -> BackendCounters {
        BackendCounters(
            answers: left.answers + right.answers,
            failures: left.failures + right.failures,
            timeouts: left.timeouts + right.timeouts,
            connectFailures: left.connectFailures + right.connectFailures
        )
    }
}
