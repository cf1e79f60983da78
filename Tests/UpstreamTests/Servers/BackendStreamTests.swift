import HTTPCore
import NIOCore
import Testing

@testable import Upstream

/// Requests to a server that speaks HTTP/2, one stream after the other.
struct BackendStreamTests {
    private let servers: EmbeddedServers
    private let peer: HTTP2Peer
    private let owner: RecordingOwner

    init() throws {
        servers = try EmbeddedServers()
        peer = try HTTP2Peer(servers.pools[0], servers.loop)
        owner = RecordingOwner(servers.loop)
        let pool = servers.pools[0]
        try #require(owner.waits(at: pool))
        pool.opened(.success(.multiplexed(peer.multiplexer)), begunAt: servers.loop.lastTick)
        try peer.exchangeBytes()
    }

    private func begin() throws {
        guard case .sent = owner.begin(at: servers.pools[0]) else {
            Issue.record("no stream")
            return
        }
        try peer.exchangeBytes()
    }

    @Test func closedPoolServesWaitingRequest() throws {
        let servers = try EmbeddedServers()
        let pool = servers.pools[0]
        let peer = try HTTP2Peer(pool, servers.loop)
        let owner = RecordingOwner(servers.loop)
        try #require(owner.waits(at: pool))
        pool.close()
        pool.opened(.success(.multiplexed(peer.multiplexer)), begunAt: servers.loop.lastTick)
        try peer.exchangeBytes()
        try #require(owner.upstream.server != nil)
        try peer.respond("last")
        #expect(owner.body == ByteBuffer(string: "last") && owner.ends == [true])
    }

    @Test func completeResponseReturnsWindowShare() throws {
        try peer.respond("first")
        for _ in 2...10 {
            try begin()
            try peer.respond("more")
        }
        #expect(owner.statuses == Array(repeating: 200, count: 10) && owner.windows.held == 0)
        try begin()
        #expect(owner.granted.last == ReceiveWindows.most)
    }

    @Test func abandonedRequestReturnsWindowShare() throws {
        #expect(owner.windows.held == ReceiveWindows.most)
        owner.upstream.abandon()
        try peer.exchangeBytes()
        #expect(owner.windows.held == 0 && peer.resets == [1: .cancel])
    }

    @Test func headOfHeldResponseIsParsedOnce() throws {
        owner.isHolding = true
        try peer.respond("held")
        try #require(owner.responses.count == 1 && owner.statuses == [])
        // If it were in the pool again, it would be the next one taken.
        let other = servers.loop.spares.responses.take()
        owner.upstream.server?.resumeResponse()
        #expect(owner.responses.count == 2, "held once more")
        owner.isHolding = false
        owner.upstream.server?.resumeResponse()
        #expect(owner.responses.count == 4 && owner.responses.allSatisfy { $0 === owner.responses[0] && $0 !== other })
        #expect(owner.statuses == [200] && owner.body == ByteBuffer(string: "held") && owner.ends == [true])
    }

    @Test func windowIsReturnedAfterRead() throws {
        try peer.sendPieces(3, of: 15_000)
        #expect(owner.body.readableBytes == 45_000 && owner.granted.count == 1)
        peer.channel.pipeline.fireChannelReadComplete()
        #expect(owner.granted.count == 2 && owner.granted.last == ReceiveWindows.most)
    }

    @Test func windowIsReturnedOnceClientReads() throws {
        let server = try #require(owner.upstream.server)
        server.setReading(false)
        try peer.sendPieces(3, of: 15_000)
        peer.channel.pipeline.fireChannelReadComplete()
        #expect(owner.body.readableBytes == 45_000 && owner.granted.count == 1)
        server.setReading(true)
        #expect(owner.granted.count == 2 && owner.granted.last == ReceiveWindows.most)
    }

    @Test func requestKeepsWaitingIfPromisedConnectionIsLost() throws {
        let pool = servers.pools[0]
        let other = try HTTP2Peer(pool, servers.loop)
        let next = RecordingOwner(servers.loop)
        peer.multiplexer.drain()
        try #require(next.waits(at: pool))
        pool.opened(.success(.multiplexed(other.multiplexer)), begunAt: servers.loop.lastTick)
        #expect(next.upstream.waitsAt === pool, "not in the middle of whatever is done now")
        other.channel.pipeline.fireChannelInactive()
        servers.loop.endTurn()
        #expect(next.upstream.waitsAt === pool && next.failures == [])
    }
}
