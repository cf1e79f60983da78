import Synchronization

/// How many client connections the process has open, over all event loops. Touched when a connection comes or goes,
/// never on the way of a request.
package final class ConnectionGauge: Sendable {
    package enum Room {
        case welcome
        /// Near the limit: there is room for an address that has not most of all connections.
        case reserve
        /// Above the limit: it is told so.
        case full
        /// So far above it that not even that is said: answers to a flood cost as well.
        case flooded
    }

    private let open = Atomic<Int>(0)

    package init() {}

    package func opened(limit: Int) -> Room {
        let count = open.add(1, ordering: .relaxed).newValue
        if count <= limit { return count <= limit - ConnectionsByAddress.reserve(of: limit) ? .welcome : .reserve }
        return count <= limit + max(16, limit / 8) ? .full : .flooded
    }

    package func closed() {
        open.subtract(1, ordering: .relaxed)
    }
}
