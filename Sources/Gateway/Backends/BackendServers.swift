/// The servers of one tenant as one event loop sees them, taken in turn.
final class BackendServers {
    let pools: [ServerPool]
    private var next = 0

    init(_ pools: [ServerPool]) {
        self.pools = pools
    }

    /// The next server in turn that is not among the `tried` ones, or nil when there is none left.
    func choose(butNot tried: [ServerPool]) -> ServerPool? {
        for _ in pools.indices {
            let pool = pools[next]
            next = (next + 1) % pools.count
            if !tried.contains(where: { $0 === pool }) { return pool }
        }
        return nil
    }

    func close() {
        for pool in pools { pool.close() }
    }
}
