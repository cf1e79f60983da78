import NIOCore
import NIOEmbedded
import Testing

@testable import Upstream

/// A connection that many requests share, on a channel that a test closes.
struct BackendMultiplexerTests {
    private let servers: EmbeddedServers
    private let channel = EmbeddedChannel()
    private let multiplexer: BackendMultiplexer

    init() throws {
        servers = try EmbeddedServers()
        let address = try SocketAddress(ipAddress: "127.0.0.1", port: 9001)
        multiplexer = BackendMultiplexer(pool: servers.pools[0], loop: servers.loop, address: address)
        try channel.pipeline.syncOperations.addHandler(multiplexer)
    }

    /// The write of the preface may fail and close the channel before the pool knows the connection.
    @Test func connectionLostInFirstWriteIsNotPooled() {
        channel.pipeline.fireChannelInactive()
        #expect(!multiplexer.connected())
        servers.loop.endTurn()
        #expect(!multiplexer.connected() && multiplexer.openStream() == nil)
    }

    @Test func establishedConnectionIsPooled() {
        #expect(multiplexer.connected())
    }
}
