/// The queues of the outbox, each worked on by itself: what has to wait in one holds up no other.
package enum OutboxChannel: String, Sendable, CaseIterable {
    /// What a webhook is told of sessions and accounts.
    case events
    /// What it is told of refused requests, which takes no room from the others.
    case refused
    /// What clients are told of logouts.
    case logouts

    /// Seconds for which a message is kept.
    package var retention: Double {
        switch self {
        case .events, .refused: 7 * 86_400
        case .logouts: 86_400
        }
    }

    /// The maximum number of streams.
    var mostStreams: Int {
        switch self {
        case .events, .logouts: 1_000_000
        case .refused: 10_000
        }
    }

    /// The maximum number of messages of a stream. Each new one writes the stream again, so there are few.
    var mostMessages: Int {
        switch self {
        case .events, .refused: 32
        case .logouts: 1
        }
    }

    /// The maximum of ``OutboxMessage/size`` over a stream's messages.
    var mostBytes: Int { 8 << 10 }
}
