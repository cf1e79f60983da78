import NIOCore
import NIOPosix
import Synchronization

/// Free loopback ports for servers with a configured port. Each is returned once, and none is in the range of ephemeral
/// ports: a restarted server finds its port free, and no two tests share a port.
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
