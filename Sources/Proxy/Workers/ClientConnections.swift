import NIOCore

/// The client connections of one event loop.
struct ClientConnections {
    /// Each at the index ``FrontConnection/indexInWorker``.
    private(set) var all: [any FrontConnection] = []
    /// Shared by all loops.
    let gauge: ConnectionGauge
    var byAddress = ConnectionsByAddress()
    /// Response bytes held for clients.
    var backlog = ClientBacklog.Total()
    let http1Output: SharedOutput
    private var stage = Stage.serving

    private enum Stage {
        case serving
        /// The promise is fulfilled when the last connection is closed.
        case draining(EventLoopPromise<Void>)
        case drained
    }

    init(_ gauge: ConnectionGauge, _ allocator: ByteBufferAllocator) {
        self.gauge = gauge
        http1Output = SharedOutput(allocator)
    }

    mutating func add(_ client: any FrontConnection) {
        client.indexInWorker = all.count
        all.append(client)
    }

    /// Replaces the handler of a connection in the list.
    mutating func handOver(from first: any FrontConnection, to second: any FrontConnection) {
        guard first.indexInWorker >= 0 else { return }
        all[first.indexInWorker] = second
        second.indexInWorker = first.indexInWorker
        first.indexInWorker = -1
    }

    /// - Returns: Whether it was in the list.
    mutating func remove(_ client: any FrontConnection) -> Bool {
        guard client.indexInWorker >= 0 else { return false }
        let last = all.removeLast()
        if last !== client {
            all[client.indexInWorker] = last
            last.indexInWorker = client.indexInWorker
        }
        client.indexInWorker = -1
        gauge.closed()
        if all.isEmpty, case .draining(let promise) = stage {
            stage = .drained
            promise.succeed()
        }
        return true
    }

    /// - Parameter promise: Fulfilled when the last connection is closed.
    mutating func drain(_ promise: EventLoopPromise<Void>) {
        stage = all.isEmpty ? .drained : .draining(promise)
        if all.isEmpty { promise.succeed() }
    }

    var isDraining: Bool {
        if case .serving = stage { false } else { true }
    }
}
