import Authorization
import Counting
import Proxy
import Time
import Upstream

/// Traces that wait to be sent or sent again. A value without I/O; the time is passed with each call.
struct TraceQueue {
    /// Traces that may wait; further ones are dropped and counted.
    static let mostWaiting = 4096
    /// Traces in one message.
    static let mostAtOnce = 256
    /// Nanoseconds for which a message is retried.
    static let patience: UInt64 = 60_000_000_000
    /// Nanoseconds before the first retry; doubled each time.
    static let firstRest: UInt64 = 1_000_000_000
    static let longestRest: UInt64 = 30_000_000_000

    enum Outcome: Equatable {
        case taken
        /// A retry may succeed.
        case failed
        /// A retry would fail too.
        case refused
    }

    private(set) var counts = TraceCounts()
    private var waiting: [FinishedTrace] = []
    /// Since when sending the first ones has failed.
    private var failingSince: MonotonicTime?
    private var rest = TraceQueue.firstRest
    private var nextTry = MonotonicTime.distantPast

    var isEmpty: Bool { waiting.isEmpty }

    mutating func add(_ traces: [FinishedTrace]) {
        let free = Self.mostWaiting - waiting.count
        waiting += traces.prefix(free)
        counts.dropped += UInt64(max(0, traces.count - free))
    }

    /// The traces to send now; nil if there are none, or not yet.
    ///
    /// - Parameter isLast: Whether this is the last attempt.
    func batch(at now: MonotonicTime, isLast: Bool = false) -> [FinishedTrace]? {
        guard !waiting.isEmpty, isLast || now >= nextTry else { return nil }
        return Array(waiting.prefix(Self.mostAtOnce))
    }

    /// - Parameter count: The length of the last ``batch(at:isLast:)``.
    mutating func settle(_ count: Int, _ outcome: Outcome, at now: MonotonicTime) {
        switch outcome {
        case .taken:
            counts.sent += UInt64(count)
            drop(count)
        case .refused:
            counts.dropped += UInt64(count)
            drop(count)
        case .failed:
            let since = failingSince ?? now
            failingSince = since
            nextTry = now + rest
            rest = min(rest * 2, Self.longestRest)
            if now >= since + Self.patience {
                counts.dropped += UInt64(count)
                waiting.removeFirst(count)
                failingSince = now
            }
        }
    }

    private mutating func drop(_ count: Int) {
        waiting.removeFirst(count)
        failingSince = nil
        rest = Self.firstRest
        nextTry = .distantPast
    }

    /// Drops all traces: no more are sent.
    mutating func giveUp() {
        counts.dropped += UInt64(waiting.count)
        waiting = []
    }
}
