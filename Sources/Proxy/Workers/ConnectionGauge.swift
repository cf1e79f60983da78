import Synchronization

/// The number of open client connections over all event loops. Touched when a connection opens or closes, never by a
/// request.
package final class ConnectionGauge: Sendable {
    package enum Admission {
        case accepted
        /// Near the limit: accepted unless the address has most of the connections.
        case reserve
        /// Above the limit: gets a refusal.
        case full
        /// So far above the limit that it gets no refusal either: responses to a flood have a cost.
        case flooded
    }

    private let open = Atomic<Int>(0)

    package init() {}

    package func opened(limit: Int) -> Admission {
        let count = open.add(1, ordering: .relaxed).newValue
        if count <= limit { return count <= limit - ConnectionsByAddress.reserve(of: limit) ? .accepted : .reserve }
        return count <= limit + max(16, limit / 8) ? .full : .flooded
    }

    package func closed() {
        open.subtract(1, ordering: .relaxed)
    }
}
