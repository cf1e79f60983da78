import Synchronization
public import Time

/// Counts what is sent, for metrics.
public final class OutboxCounts: Sendable {
    /// What came of a message, or of an attempt: a closed set, for use as a label.
    public enum Result: String, Sendable, CaseIterable {
        case delivered
        /// An attempt; there will be others.
        case failed
        /// The receiver has refused it for good.
        case givenUp = "given_up"
        /// It has waited for too long.
        case expired
        /// There was no room for it.
        case dropped
        /// A later refresh of the session took its place before it was sent.
        case replaced
    }

    /// Labels of `gatehouse_events_total`.
    public struct Labels: Sendable, Hashable {
        /// An ``EventType``, `logout`, or `unknown` of what could not be read.
        public let type: String
        public let result: Result
    }

    /// What waits in a channel, as of the last count.
    public struct Pending: Sendable, Equatable {
        /// Of sessions and subjects with something to be sent; at most 1000 are counted.
        public var count = 0
        /// When the oldest of what was counted happened.
        public var oldest: UnixTime?
    }

    public struct Snapshot: Sendable, Equatable {
        public var results: [Labels: Int] = [:]
        /// By the channel's name.
        public var pending: [String: Pending] = [:]

        public init() {}
    }

    private let counts = Mutex(Snapshot())

    public init() {}

    public func snapshot() -> Snapshot { counts.withLock { $0 } }

    func count(_ content: OutboxMessage.Content, _ result: Result, _ number: Int = 1) {
        counts.withLock { $0.results[Labels(type: content.label, result: result), default: 0] += number }
    }

    /// A stream that cannot be read was dropped: how many messages it had is not known.
    func countUnreadable(in channel: OutboxChannel) {
        let type = channel == .logouts ? OutboxMessage.Content.logout.label : "unknown"
        counts.withLock { $0.results[Labels(type: type, result: .dropped), default: 0] += 1 }
    }

    func setPending(_ pending: Pending, in channel: OutboxChannel) {
        counts.withLock { $0.pending[channel.rawValue] = pending }
    }
}
