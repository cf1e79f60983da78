import NIOCore
import NIOPosix
import Tenants
import Testing
import Time

@testable import Upstream

/// The location of a server, by address or name.
struct ServerAddressesTests {
    /// The limits of a loop, and whether they hold.
    private struct Found: Sendable {
        var addresses: [SocketAddress]
        var contains: Bool
    }

    private func find(_ host: String) async throws -> Found {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.any()
        let promise = eventLoop.makePromise(of: Found.self)
        eventLoop.execute {
            let addresses = ServerAddresses(HostPort(host: host, port: 9001), eventLoop: eventLoop)
            addresses.withNext(by: .now() + .seconds(20)) { found in
                let contains = found.allSatisfy(addresses.contain)
                promise.succeed(Found(addresses: found, contains: contains))
            }
        }
        return try await promise.futureResult.get()
    }

    @Test(arguments: ["127.0.0.1", "::1", "192.0.2.7"])
    func addressResolvesToItself(host: String) async throws {
        let found = try await find(host)
        #expect(found.addresses == [try SocketAddress(ipAddress: host, port: 9001)])
        #expect(found.contains)
    }

    @Test func nameResolvesByLookup() async throws {
        let found = try await find("localhost")
        #expect(!found.addresses.isEmpty)
        #expect(found.addresses.allSatisfy { $0.port == 9001 && ["127.0.0.1", "::1"].contains($0.ipAddress) })
        #expect(found.contains)
    }

    @Test func unknownNameResolvesToNothing() async throws {
        #expect(try await find("nobody.invalid").addresses.isEmpty)
    }
}
