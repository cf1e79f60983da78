import Authorization
import ExtAuthz
import NIOCore
import Proxy
import Synchronization
import Tenants

/// Distributes Envoy's gRPC queries over the loops.
final class ExtAuthzService: CheckHandler {
    /// Queries of all connections that may wait for a reply.
    private static let mostQueries = 4096

    private let workers: [WorkerHandle]
    private let live: LiveConfiguration
    private let turns = Atomic<Int>(0)
    private let underWay = Atomic<Int>(0)

    init(workers: [WorkerHandle], live: LiveConfiguration) {
        self.workers = workers
        self.live = live
    }

    func answers(_ peer: String) -> Bool {
        guard let address = IPAddress(peer) else { return false }
        return live.current.configuration.gateway.trustedProxies.contains { $0.contains(address) }
    }

    func decide(_ request: QueriedRequest, for peer: String, reply: @escaping @Sendable (CheckReply) -> Void) {
        let turn = UInt(bitPattern: turns.wrappingAdd(1, ordering: .relaxed).oldValue)
        let worker = workers[Int(turn % UInt(workers.count))]
        let isTooMuch = underWay.wrappingAdd(1, ordering: .relaxed).newValue > Self.mostQueries
        worker.execute { worker in
            let peer = Peer(Array(peer.utf8), trustedProxies: worker.settings.trustedProxies, tls: nil)
            let query = ExtAuthzQuery(worker, peer) { [self] response in
                underWay.wrappingSubtract(1, ordering: .relaxed)
                reply(response)
            }
            if isTooMuch { query.refuse(.overloaded) } else { query.decide(request) }
        }
    }
}
