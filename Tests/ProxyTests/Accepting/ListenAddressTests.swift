import Glibc
import NIOCore
import NIOPosix
import Tenants
import TestSupport
import Testing

@testable import Proxy

/// The check before a listener opens whether its address is free.
@Suite struct ListenAddressTests {
    @Test(arguments: ["127.0.0.1", "localhost"])
    func addressInUseIsReported(host: String) async throws {
        let address = HostPort(host: host, port: try await FreePort.find())
        #expect(!ListenAddress.isTaken(address))
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(ChannelOptions.socket(SocketOptionLevel(SOL_SOCKET), SO_REUSEPORT), value: 1)
            .bind(host: host, port: address.port).get()
        #expect(ListenAddress.isTaken(address))
        try await listener.close()
        #expect(!ListenAddress.isTaken(address))
    }

    @Test func systemChosenPortIsFree() {
        #expect(!ListenAddress.isTaken(HostPort(host: "127.0.0.1", port: 0)))
    }

    /// A socket that only checks must not accept connections: they would be reset right after the check.
    @Test func connectionDuringAddressCheckIsRefused() async throws {
        let address = HostPort(host: "127.0.0.1", port: try await FreePort.find())
        let resolved = try SocketAddress(ipAddress: address.host, port: address.port)
        async let refused = Self.refusals(at: resolved, of: 5_000)
        for _ in 0..<2_000 { #expect(!ListenAddress.isTaken(address)) }
        #expect(await refused == 5_000)
    }

    @concurrent private static func refusals(at address: SocketAddress, of attempts: Int) async -> Int {
        var refusals = 0
        for _ in 0..<attempts {
            let client = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
            let outcome = address.withSockAddr { connect(client, $0, socklen_t($1)) }
            if outcome == -1, errno == ECONNREFUSED { refusals += 1 }
            close(client)
        }
        return refusals
    }
}
