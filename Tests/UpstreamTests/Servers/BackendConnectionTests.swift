import Glibc
import HTTPCore
import NIOCore
import NIOEmbedded
import Testing

@testable import Upstream

/// HTTP/1.1 connections as their pool assigns them to requests.
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

    /// A connection is established and belongs to the pool.
    private func open(_ handlers: any ChannelHandler & Sendable...) throws -> (BackendConnection, EmbeddedChannel) {
        let channel = EmbeddedChannel()
        for handler in handlers { try channel.pipeline.syncOperations.addHandler(handler) }
        let address = try SocketAddress(ipAddress: "127.0.0.1", port: 9001)
        let connection = BackendConnection(pool: pool, loop: servers.loop, address: address)
        try channel.pipeline.syncOperations.addHandler(connection)
        pool.opened(.success(.single(connection)), begunAt: servers.loop.lastTick)
        return (connection, channel)
    }

    private func waits(_ owner: RecordingOwner) -> Bool { owner.waits(at: pool) }

    @Test func responseDuringFailingFlushDoesNotReuseConnection() throws {
        try #require(waits(first) && waits(second))
        _ = try open(FailingFlush(Self.response))
        for _ in 1...3 { servers.loop.endTurn() }
        #expect(first.statuses == [200] && first.body == ByteBuffer(string: "ok") && first.ends == [false])
        #expect(second.upstream.waitsAt === pool)
        let (connection, _) = try open()
        servers.loop.endTurn()
        #expect(second.upstream.server === connection)
    }

    @Test func heldResponseDuringFailingFlushDoesNotReuseConnection() throws {
        first.isHolding = true
        first.takesHeldResponse = true
        try #require(waits(first) && waits(second))
        _ = try open(FailingFlush(Self.response))
        for _ in 1...3 { servers.loop.endTurn() }
        #expect(first.upstream.server != nil && second.upstream.waitsAt === pool)
    }

    // MARK: Connections that are being closed

    /// A channel with TLS: it is closed when the server has sent its close_notify, and reads until then.
    private final class SlowClose: ChannelOutboundHandler, Sendable {
        typealias OutboundIn = ByteBuffer
        func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {}
    }

    @Test func connectionWithUnsolicitedBytesIsNotUsed() throws {
        try #require(waits(first))
        let (connection, channel) = try open(SlowClose())
        servers.loop.endTurn()
        try channel.writeInbound(Self.response)
        try #require(first.ends == [true])
        try channel.writeInbound(Self.response)
        #expect(waits(second) && second.upstream.server !== connection)
        try channel.writeInbound(Self.response)
        servers.loop.endTurn()
        #expect(second.statuses == [])
    }

    @Test func promisedConnectionWithUnsolicitedBytesIsNotUsed() throws {
        try #require(waits(first) && waits(second))
        let (_, channel) = try open(SlowClose())
        servers.loop.endTurn()
        try channel.writeInbound(Self.response)
        try channel.writeInbound(Self.response)
        for _ in 1...3 { servers.loop.endTurn() }
        #expect(first.ends == [true] && second.upstream.waitsAt === pool && second.statuses == [])
    }

    @Test func closedConnectionDropsLateBytes() throws {
        try #require(waits(first))
        let (connection, channel) = try open(SlowClose())
        servers.loop.endTurn()
        first.upstream.abandon()
        for _ in 1...4 { try channel.writeInbound(ByteBuffer(repeating: 0x78, count: 64 << 10)) }
        #expect(connection.input.count == 0)
    }

    @Test func newConnectionLostBeforeRequestCountsAsFailed() throws {
        try #require(waits(first))
        let (_, channel) = try open()
        channel.pipeline.fireChannelInactive()
        for _ in 1...3 { servers.loop.endTurn() }
        #expect(first.failures == [.unavailable])
    }

    // MARK: Responses that wait

    private func held(_ bytes: String) throws -> EmbeddedChannel {
        first.isHolding = true
        try #require(waits(first))
        let (_, channel) = try open()
        servers.loop.endTurn()
        try channel.writeInbound(ByteBuffer(string: bytes))
        try #require(first.responses.count == 1 && first.statuses == [])
        return channel
    }

    @Test func headOfHeldResponseIsParsedOnce() throws {
        let channel = try held("HTTP/1.1 401 Unauthorized\r\nContent-Length: 4\r\n\r\na")
        // If it were in the pool again, it would be the next one taken.
        let other = servers.loop.spares.responses.take()
        try channel.writeInbound(ByteBuffer(string: "bc"))
        first.upstream.server?.resumeResponse()
        #expect(first.responses.count == 2, "held once more")
        first.isHolding = false
        first.upstream.server?.resumeResponse()
        try channel.writeInbound(ByteBuffer(string: "d"))
        #expect(first.responses.count == 4 && first.responses.allSatisfy { $0 === first.responses[0] && $0 !== other })
        #expect(first.statuses == [401] && first.body == ByteBuffer(string: "abcd") && first.ends == [true])
    }

    @Test func heldResponseIsDeliveredWhenComplete() throws {
        first.takesHeldResponse = true
        let channel = try held("HTTP/1.1 401 Unauthorized\r\nContent-Length: 4\r\n\r\na")
        try channel.writeInbound(ByteBuffer(string: "bc"))
        #expect(first.held == nil)
        try channel.writeInbound(ByteBuffer(string: "d"))
        let response = try #require(first.held)
        #expect(response === first.responses[0])
        #expect(String(buffer: response.bytes).hasSuffix("\r\n\r\nabcd"))
        guard case .sent = second.begin(at: pool) else {
            Issue.record("the connection is not free")
            return
        }
    }

    @Test func heldResponseEndsWithItsConnection() throws {
        let channel = try held("HTTP/1.1 200 OK\r\n\r\nab")
        try channel.writeInbound(ByteBuffer(string: "cd"))
        channel.pipeline.fireChannelInactive()
        servers.loop.endTurn()
        #expect(first.statuses == [] && first.failures == [])
        first.isHolding = false
        first.upstream.server?.resumeResponse()
        #expect(first.statuses == [200] && first.body == ByteBuffer(string: "abcd") && first.ends == [false])
    }

    // MARK: A connection that becomes free while another request waits

    /// The first request has the only connection, and the second one waits.
    private func crowded() throws -> (BackendConnection, EmbeddedChannel) {
        try #require(waits(first) && waits(second))
        let (connection, channel) = try open()
        servers.loop.endTurn()
        try #require(first.upstream.server === connection)
        return (connection, channel)
    }

    @Test func nextRequestIsServedAtEndOfTurn() throws {
        let (connection, channel) = try crowded()
        try channel.writeInbound(Self.response)
        #expect(first.ends == [true] && second.upstream.server == nil, "not in the middle of the first one's response")
        servers.loop.endTurn()
        #expect(second.upstream.server === connection)
    }

    @Test func newRequestDoesNotTakePromisedConnection() throws {
        let (connection, channel) = try crowded()
        try channel.writeInbound(Self.response)
        let third = RecordingOwner(servers.loop)
        #expect(waits(third))
        servers.loop.endTurn()
        #expect(second.upstream.server === connection && third.upstream.waitsAt === pool)
    }

    @Test func promisedConnectionWithoutWaiterBecomesIdle() throws {
        let (connection, channel) = try crowded()
        try channel.writeInbound(Self.response)
        second.upstream.abandon()
        servers.loop.endTurn()
        guard case .sent = first.begin(at: pool) else {
            Issue.record("no connection")
            return
        }
        #expect(first.upstream.server === connection)
    }

    @Test func requestKeepsWaitingIfPromisedConnectionIsLost() throws {
        let (_, channel) = try crowded()
        try channel.writeInbound(Self.response)
        channel.pipeline.fireChannelInactive()
        servers.loop.endTurn()
        #expect(second.upstream.waitsAt === pool)
        let (other, _) = try open()
        servers.loop.endTurn()
        #expect(second.upstream.server === other)
    }

    @Test func connectFailureIsNotReportedToNextRequest() throws {
        try #require(waits(first))
        pool.opened(.failure(.system(ECONNREFUSED)), begunAt: servers.loop.lastTick)
        #expect(first.failures == [], "not in the middle of whatever is done now")
        first.upstream.abandon()
        try #require(waits(first))
        servers.loop.endTurn()
        #expect(first.failures == [] && first.upstream.waitsAt === pool)
        pool.opened(.failure(.system(ECONNREFUSED)), begunAt: servers.loop.lastTick)
        servers.loop.endTurn()
        #expect(first.failures == [.unavailable])
    }

    @Test func idleConnectionReplacesLostPromisedOne() throws {
        let (_, channel) = try crowded()
        let third = RecordingOwner(servers.loop)
        let (other, otherChannel) = try open()
        servers.loop.endTurn()
        try #require(second.upstream.server === other && waits(third))
        try channel.writeInbound(Self.response)
        try otherChannel.writeInbound(Self.response)
        channel.pipeline.fireChannelInactive()
        servers.loop.endTurn()
        servers.loop.endTurn()
        #expect(third.upstream.server === other)
    }
}
