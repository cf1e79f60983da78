import HTTPCore
import NIOCore
import NIOEmbedded
import Testing

@testable import Upstream

/// Connections over HTTP/1.1 as their pool gives them to requests.
struct BackendConnectionTests {
    private static let response = ByteBuffer(string: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")

    private let servers: EmbeddedServers
    private let pool: ServerPool
    private let first: RecordingOwner
    private let second: RecordingOwner

    init() throws {
        servers = try EmbeddedServers()
        pool = servers.pools[0]
        first = RecordingOwner(servers.loop)
        second = RecordingOwner(servers.loop)
    }

    /// A connection stands, and is the pool's.
    private func open(_ handlers: any ChannelHandler & Sendable...) throws -> (BackendConnection, EmbeddedChannel) {
        let channel = EmbeddedChannel()
        for handler in handlers { try channel.pipeline.syncOperations.addHandler(handler) }
        let address = try SocketAddress(ipAddress: "127.0.0.1", port: 9001)
        let connection = BackendConnection(pool: pool, loop: servers.loop, address: address)
        try channel.pipeline.syncOperations.addHandler(connection)
        pool.opened(.success(.single(connection)), begunAt: servers.loop.lastTick)
        return (connection, channel)
    }

    private func waits(_ owner: RecordingOwner) -> Bool {
        if case .waiting = owner.begin(at: pool) { true } else { false }
    }

    @Test func responseWithinAFailingFlushGivesTheConnectionToNobody() throws {
        try #require(waits(first) && waits(second))
        _ = try open(FailingFlush(Self.response))
        for _ in 1...3 { servers.loop.endTurn() }
        #expect(first.statuses == [200] && first.body == ByteBuffer(string: "ok") && first.ends == [false])
        #expect(second.upstream.waitsAt === pool)
        let (connection, _) = try open()
        servers.loop.endTurn()
        #expect(second.upstream.server === connection)
    }

    @Test func heldResponseWithinAFailingFlushGivesTheConnectionToNobody() throws {
        first.isHolding = true
        first.takesHeldResponse = true
        try #require(waits(first) && waits(second))
        _ = try open(FailingFlush(Self.response))
        for _ in 1...3 { servers.loop.endTurn() }
        #expect(first.upstream.server != nil && second.upstream.waitsAt === pool)
    }
}
