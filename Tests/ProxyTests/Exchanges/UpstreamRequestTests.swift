import Authorization
import HTTPCore
import NIOCore
import ProxyTestSupport
import Testing
import UpstreamTestSupport

@testable import Proxy
@testable import Tenants
@testable import Upstream

/// A request that waits for a server, the servers that it is offered, and those that it loses.
struct UpstreamRequestTests {
    private let fixture: EmbeddedWorker
    private let exchange: RequestExchange
    private let client = RecordingClient()

    init() throws {
        fixture = try EmbeddedWorker(servers: 2)
        exchange = RequestExchange(worker: fixture.worker)
    }

    /// The exchange's request waits at a pool.
    private func waiting(_ lines: [String] = [], method: String = "GET") throws -> ServerPool {
        let token = try RequestPipeline.token(["exp": .number(.init(4_000_000_000))])
        let request = fixture.worker.loop.spares.requests.take()
        let bytes = RequestPipeline.request("/a", method: method, lines: ["Authorization: Bearer \(token)"] + lines)
        try #require(request.parse(ByteBuffer(bytes: bytes), fixture.worker.parser) == .complete)
        exchange.begin(request, version: .http11, for: client)
        return try #require(exchange.upstream.waitsAt)
    }

    private func taken() throws -> RecordingServer {
        let server = RecordingServer(try waiting())
        give(server)
        return server
    }

    /// As a pool does it.
    private func give(_ server: RecordingServer) {
        server.pool.forget(exchange.upstream)
        exchange.upstream.serverReady(server)
    }

    @Test func serverOfAnotherPoolIsReturned() throws {
        let own = try waiting()
        let other = try #require(fixture.pools.first { $0 !== own })
        let foreign = RecordingServer(other)
        exchange.upstream.serverReady(foreign)
        #expect(foreign.isGivenBack && foreign.request == nil)
        #expect(exchange.upstream.waitsAt === own)
        let server = RecordingServer(own)
        give(server)
        #expect(!server.isGivenBack && exchange.upstream.server === server && server.isRequestOut)
    }

    @Test func serverWithoutWaitingRequestIsReturned() {
        let server = RecordingServer(fixture.pools[0])
        exchange.upstream.serverReady(server)
        #expect(server.isGivenBack)
    }

    @Test func lostServerIsReplacedAtEndOfTurn() throws {
        let server = try taken()
        exchange.upstream.serverLost(server, endsProperly: false)
        #expect(exchange.upstream.waitsAt == nil && client.statuses == [], "not in the middle of whatever is done now")
        fixture.worker.loop.endTurn()
        let next = try #require(exchange.upstream.waitsAt)
        #expect(next !== server.pool)
        let other = RecordingServer(next)
        give(other)
        #expect(other.head == server.head, "the same request")
    }

    @Test func lossOfFormerServerIsIgnored() throws {
        let server = try taken()
        exchange.upstream.serverSpoke()
        exchange.clientGone()
        #expect(server.isAbandoned)
        exchange.upstream.serverLost(server, endsProperly: false)
        fixture.worker.loop.endTurn()
        #expect(client.statuses == [] && !client.isCut)
    }

    @Test func serverLostAfterResponseStartIs502() throws {
        let server = try taken()
        exchange.upstream.serverSpoke()
        exchange.upstream.serverLost(server, endsProperly: false)
        #expect(client.statuses == [502] && client.fates == [.keep] && client.resumptions > 0)
    }

    /// HTTP/2: a stream that is refused, or beyond a GOAWAY's last one, after its response began.
    @Test func startedResponseIsCutEvenIfRefused() throws {
        let server = try taken()
        exchange.upstream.serverSpoke()
        exchange.responseStarted(try response("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"), .length(9))
        exchange.upstream.serverLost(server, endsProperly: false, wasActedOn: false)
        fixture.worker.loop.endTurn()
        #expect(client.isCut && client.statuses == [200] && exchange.upstream.waitsAt == nil)
    }

    @Test func tunnelEndsCleanlyWhenClientLeaves() throws {
        let handshake = [
            "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        ]
        let server = RecordingServer(try waiting(handshake))
        give(server)
        exchange.switched(try response("HTTP/1.1 101 Switching Protocols\r\n\r\n"))
        exchange.clientGone()
        #expect(server.isTunnelEnded && !server.isAbandoned, "what was sent goes out first")
    }

    private func response(_ text: String) throws -> ReceivedResponse {
        let response = ReceivedResponse()
        try #require(response.parse(ByteBuffer(string: text), ResponseHeadParser()) == .complete)
        return response
    }

    @Test func serverIsReleasedWithoutClient() throws {
        let server = try taken()
        exchange.detach()
        exchange.yieldPlace()
        #expect(server.isAbandoned && exchange.upstream.server == nil)
    }

    @Test func silentServerIs504() throws {
        let server = try taken()
        exchange.upstream.serverTimedOut(server)
        #expect(client.statuses == [504])
    }

    @Test func staleDropFromQueueIsIgnored() throws {
        let pool = try waiting()
        let number = exchange.upstream.number
        exchange.upstream.droppedFromQueue(of: pool, number: number &- 1)
        #expect(client.statuses == [])
        exchange.upstream.droppedFromQueue(of: pool, number: number)
        #expect(client.statuses == [503])
    }

    @Test func endOfTurnWorkMayScheduleAnotherTurn() {
        var done: [String] = []
        let worker = fixture.worker
        worker.loop.atEndOfTurn {
            worker.loop.atEndOfTurn { done.append("second") }
            done.append("first")
        }
        #expect(done == [])
        fixture.worker.loop.endTurn()
        #expect(done == ["first"])
        worker.loop.endTurn()
        #expect(done == ["first", "second"])
    }
}
