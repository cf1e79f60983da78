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
    private(set) var isDraining = false
    private var whenDrained: EventLoopPromise<Void>?

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
        if all.isEmpty {
            whenDrained?.succeed()
            whenDrained = nil
        }
        return true
    }

    /// - Parameter promise: Kept when the last connection is closed.
    mutating func drain(_ promise: EventLoopPromise<Void>) {
        isDraining = true
        if all.isEmpty { promise.succeed() } else { whenDrained = promise }
    }
}
