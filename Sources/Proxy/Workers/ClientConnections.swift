import NIOCore

/// The clients' connections of one event loop.
struct ClientConnections {
    /// Each at its ``FrontConnection/placeInWorker``.
    private(set) var all: [any FrontConnection] = []
    /// Those of all loops are counted there.
    let gauge: ConnectionGauge
    var crowd = ConnectionsByAddress()
    /// What is held for clients that have not taken it.
    var backlog = ClientBacklog.Total()
    let http1Output: SharedOutput
    private var stage = Stage.serving

    private enum Stage {
        case serving
        /// The promise is kept when the last connection is closed.
        case draining(EventLoopPromise<Void>)
        case drained
    }

    init(_ gauge: ConnectionGauge, _ allocator: ByteBufferAllocator) {
        self.gauge = gauge
        http1Output = SharedOutput(allocator)
    }

    mutating func add(_ client: any FrontConnection) {
        client.placeInWorker = all.count
        all.append(client)
    }

    /// Another handler is in charge of the connection from now on.
    mutating func handOver(from first: any FrontConnection, to second: any FrontConnection) {
        guard first.placeInWorker >= 0 else { return }
        all[first.placeInWorker] = second
        second.placeInWorker = first.placeInWorker
        first.placeInWorker = -1
    }

    /// - Returns: Whether it was there.
    mutating func remove(_ client: any FrontConnection) -> Bool {
        guard client.placeInWorker >= 0 else { return false }
        let last = all.removeLast()
        if last !== client {
            all[client.placeInWorker] = last
            last.placeInWorker = client.placeInWorker
        }
        client.placeInWorker = -1
        gauge.closed()
        if all.isEmpty, case .draining(let promise) = stage {
            stage = .drained
            promise.succeed()
        }
        return true
    }

    /// - Parameter promise: Kept when the last connection is closed.
    mutating func drain(_ promise: EventLoopPromise<Void>) {
        stage = all.isEmpty ? .drained : .draining(promise)
        if all.isEmpty { promise.succeed() }
    }

    var isDraining: Bool {
        if case .serving = stage { false } else { true }
    }
}
