import Authorization
import Counting
import Proxy
import Time
import Upstream

/// Traces that wait to be sent, and what becomes of those that could not be. A value without I/O; time is given.
struct TraceQueue {
    /// Traces that may wait; what comes on top is lost, and counted.
    static let mostWaiting = 4096
    /// Traces of one message.
    static let mostAtOnce = 256
    /// Nanoseconds for which a message is tried again.
    static let patience: UInt64 = 60_000_000_000
    /// Nanoseconds until it is tried again for the first time; doubled each time.
    static let firstRest: UInt64 = 1_000_000_000
    static let longestRest: UInt64 = 30_000_000_000

    enum Outcome: Equatable {
        case taken
        /// Another try may do better.
        case failed
        /// Another try would not.
        case refused
    }

    private(set) var counts = TraceCounts()
    private var waiting: [FinishedTrace] = []
    /// The first of those that wait, while they are tried again.
    private var failingSince: MonotonicTime?
    private var rest = TraceQueue.firstRest
    private var nextTry = MonotonicTime.distantPast

    var isEmpty: Bool { waiting.isEmpty }

    mutating func add(_ traces: [FinishedTrace]) {
        let room = Self.mostWaiting - waiting.count
        waiting += traces.prefix(room)
        counts.dropped += UInt64(max(0, traces.count - room))
    }

    /// What is to be sent now; nil where there is nothing, or not yet.
    ///
    /// - Parameter isLast: Whether there will be no later try.
    func batch(at now: MonotonicTime, isLast: Bool = false) -> [FinishedTrace]? {
        guard !waiting.isEmpty, isLast || now >= nextTry else { return nil }
        return Array(waiting.prefix(Self.mostAtOnce))
    }

    /// - Parameter count: Of the traces that were given by ``batch(at:isLast:)``, the first of those that wait.
    mutating func settle(_ count: Int, _ outcome: Outcome, at now: MonotonicTime) {
        switch outcome {
        case .taken:
            counts.sent += UInt64(count)
            letGo(count)
        case .refused:
            counts.dropped += UInt64(count)
            letGo(count)
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

    private mutating func letGo(_ count: Int) {
        waiting.removeFirst(count)
        failingSince = nil
        rest = Self.firstRest
        nextTry = .distantPast
    }

    /// Nothing is sent any more.
    mutating func giveUp() {
        counts.dropped += UInt64(waiting.count)
        waiting = []
    }
}
