import Events
import Time

/// What others are told of.
extension Metric {
    static let eventsSent = Metric(
        "gatehouse_events_total",
        .counter,
        "Events and logouts: attempts to deliver them, and those that were lost.",
        labels: ["type", "result"]
    ) { reading in
        (reading.shared.outbox?.results ?? [:])
            .map { Sample([$0.type, $0.result.rawValue], $1) }
            .sorted { $0.labels.lexicographicallyPrecedes($1.labels) }
    }

    static let eventsPending = Metric(
        "gatehouse_events_pending",
        .gauge,
        "Sessions with something that its receiver has not answered, at most 1000; counted every 15 seconds.",
        labels: ["queue"]
    ) { reading in
        (reading.shared.outbox?.pending ?? [:]).map { Sample([$0], $1.count) }
            .sorted { $0.labels.lexicographicallyPrecedes($1.labels) }
    }

    static let eventsOldest = Metric(
        "gatehouse_events_oldest_seconds",
        .gauge,
        "The age of the oldest of them.",
        labels: ["queue"]
    ) { reading in
        let now = Clock.unix()
        return (reading.shared.outbox?.pending ?? [:])
            .map { Sample([$0], .measure($1.oldest.map { max(0, now - $0) } ?? 0)) }
            .sorted { $0.labels.lexicographicallyPrecedes($1.labels) }
    }
}
