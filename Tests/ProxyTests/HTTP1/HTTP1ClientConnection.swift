import HTTPCore
import NIOCore
import NIOEmbedded
import ProxyTestSupport
import Testing
import UpstreamTestSupport

@testable import Authorization
@testable import Proxy
@testable import Upstream

/// A client's connection over HTTP/1.1 without sockets, whose flushes fail when a test says so, and servers that do what
/// it says.
final class HTTP1ClientConnection {
    let fixture: EmbeddedWorker
    let connection: HTTP1ServerConnection
    let channel: EmbeddedChannel
    private let flushes = Flushes()

    init() throws {
        fixture = try EmbeddedWorker()
        let loop = try #require(fixture.worker.eventLoop as? EmbeddedEventLoop)
        let peer = Peer(nil, trustedProxies: [])
        connection = HTTP1ServerConnection(worker: fixture.worker, peer: peer, isWelcome: true)
        channel = EmbeddedChannel(loop: loop)
        try channel.pipeline.syncOperations.addHandlers([flushes, connection])
        _ = fixture.worker.opened(connection)
        channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
    }

    var exchange: RequestExchange { connection.exchange }

    // MARK: What the client does

    static func request(_ path: String = "/a", method: String = "GET", lines: [String] = []) throws -> [UInt8] {
        let token = try RequestPipeline.token(["exp": 4_000_000_000])
        return RequestPipeline.request(path, method: method, lines: ["Authorization: Bearer \(token)"] + lines)
    }

    static func withoutToken(method: String = "GET", lines: [String] = []) -> [UInt8] {
        RequestPipeline.request("/a", method: method, lines: lines)
    }

    func sends(_ bytes: [UInt8]) throws { try channel.writeInbound(ByteBuffer(bytes: bytes)) }

    /// The next flush finds out that the client is gone, and delivers what it sent last.
    func leaves(sending last: [UInt8]) { flushes.next = Flushes.Flush(delivers: last, closes: true) }

    /// The next flush delivers what the client has sent, and the connection stays.
    func sendsInFlush(_ bytes: [UInt8]) { flushes.next = Flushes.Flush(delivers: bytes, closes: false) }

    func endTurn() { fixture.worker.loop.endTurn() }

    // MARK: What the server does

    /// A server takes the request that waits for one.
    func serverTakesRequest() throws -> RecordingServer {
        let server = RecordingServer(try #require(exchange.upstream.waitsAt))
        // As the pool does it.
        server.pool.forget(exchange.upstream)
        exchange.upstream.serverReady(server)
        return server
    }

    static func head(_ text: String) throws -> ReceivedResponse {
        let response = ReceivedResponse()
        try #require(response.parse(ByteBuffer(string: text), ResponseHeadParser()) == .complete)
        return response
    }
}

/// Does in a flush what NIO does in one that fails: it reads what there is, closes the channel, and says so.
private final class Flushes: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    struct Flush {
        let delivers: [UInt8]
        let closes: Bool
    }

    var next: Flush?

    func flush(context: ChannelHandlerContext) {
        guard let flush = next else { return context.flush() }
        next = nil
        context.fireChannelRead(NIOAny(ByteBuffer(bytes: flush.delivers)))
        context.fireChannelReadComplete()
        if flush.closes { context.fireChannelInactive() } else { context.flush() }
    }
}
