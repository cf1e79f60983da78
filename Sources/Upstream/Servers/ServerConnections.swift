/// The open connections of one event loop to one server.
struct ServerConnections {
    /// Those that carry many requests (HTTP/2) and take new ones.
    private(set) var multiplexed: [BackendMultiplexer] = []
    /// Those that carry one request at a time.
    private var single: [BackendConnection] = []
    /// Those of `single` without a request, the most recently used last.
    private(set) var idle: [BackendConnection] = []

    mutating func opened(_ connection: BackendMultiplexer) { multiplexed.append(connection) }

    mutating func opened(_ connection: BackendConnection) { single.append(connection) }

    mutating func becameIdle(_ connection: BackendConnection) { idle.append(connection) }

    /// The most recently used goes first, so that the others become idle long enough to be closed.
    mutating func takeIdle() -> BackendConnection? { idle.popLast() }

    /// A connection takes no new requests.
    ///
    /// - Returns: Whether it took them until now.
    mutating func retired(_ connection: BackendMultiplexer) -> Bool {
        guard let index = multiplexed.firstIndex(where: { $0 === connection }) else { return false }
        multiplexed.remove(at: index)
        return true
    }

    /// An idle connection was closed.
    ///
    /// - Returns: Whether it was idle.
    mutating func idleClosed(_ connection: BackendConnection) -> Bool {
        guard let index = idle.lastIndex(where: { $0 === connection }) else { return false }
        idle.remove(at: index)
        closed(connection)
        return true
    }

    mutating func closed(_ connection: BackendConnection) {
        guard let index = single.firstIndex(where: { $0 === connection }) else { return }
        single.swapAt(index, single.count - 1)
        single.removeLast()
    }

    /// The owners of the requests that have a connection.
    func forEachOwner(_ body: (any UpstreamRequestOwner) -> Void) {
        for connection in single { if let owner = connection.request?.owner { body(owner) } }
        for connection in multiplexed { connection.forEachOwner(body) }
    }
}
