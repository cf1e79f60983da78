import Synchronization

/// How many client connections the process has open, over all event loops. Touched when a connection comes or goes,
/// never on the way of a request.
final class ConnectionGauge: Sendable {
    private let open = Atomic<Int>(0)

    /// Gives whether the connection is within `limit`.
    func opened(limit: Int) -> Bool {
        open.add(1, ordering: .relaxed).newValue <= limit
    }

    func closed() {
        open.subtract(1, ordering: .relaxed)
    }
}
