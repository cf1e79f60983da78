import NIOCore
import NIOPosix
import Synchronization

/// Ports of the loopback interface for servers that want to be told theirs. Each is given once, and none is of those
/// from which the system takes the ports of clients: a server that is away for a while finds its port free, and no two
/// tests are led to one server.
package enum FreePort {
    private static let next = Atomic(Int.random(in: 10_000..<28_000))

    package static func find() async throws -> Int {
        while true {
            let port = next.wrappingAdd(1, ordering: .relaxed).newValue
            let listener = try? await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .bind(host: "127.0.0.1", port: port)
                .get()
            if let listener {
                try await listener.close()
                return port
            }
        }
    }
}
