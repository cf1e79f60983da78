import HTTPCore
import NIOCore
import NIOEmbedded
import ProxyTestSupport
import Testing
import UpstreamTestSupport

@testable import Authorization
@testable import Proxy
@testable import Upstream

/// A client's connection over HTTP/1.1 without sockets, whose flushes fail when a test says so, and servers that the
/// test controls.
final class HTTP1ClientConnection {
    let fixture: EmbeddedWorker
    let connection: HTTP1ServerConnection
    let channel: EmbeddedChannel
    private let flushes = FlushHandler()

    init() throws {
        fixture = try EmbeddedWorker()
        let loop = try #require(fixture.worker.eventLoop as? EmbeddedEventLoop)
        let peer = Peer(nil, trustedProxies: [])
        connection = HTTP1ServerConnection(worker: fixture.worker, peer: peer, isWithinLimit: true)
        channel = EmbeddedChannel(loop: loop)
        try channel.pipeline.syncOperations.addHandlers([flushes, connection])
        _ = fixture.worker.opened(connection)
        channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
    }

    var exchange: RequestExchange { connection.exchange }

    // MARK: What the client does

    static func request(method: String = "GET", version: String = "1.1", lines: [String] = []) throws -> [UInt8] {
        let token = try RequestPipeline.token(["exp": 4_000_000_000])
        let all = ["Authorization: Bearer \(token)"] + lines
        return RequestPipeline.request("/a", method: method, version: version, lines: all)
    }

    static func withoutToken(method: String = "GET", lines: [String] = []) -> [UInt8] {
        RequestPipeline.request("/a", method: method, lines: lines)
    }

    func sends(_ bytes: [UInt8]) throws { try channel.writeInbound(ByteBuffer(bytes: bytes)) }

    /// The next flush fails, as the client has closed, and delivers what it sent last.
    func leaves(sending last: [UInt8]) { flushes.next = FlushHandler.Flush(delivers: last, closes: true) }

    /// The next flush delivers what the client has sent, and the connection stays.
    func sendsInFlush(_ bytes: [UInt8]) { flushes.next = FlushHandler.Flush(delivers: bytes, closes: false) }

    /// Flushes write nothing any more.
    func takesNothing() { flushes.isStuck = true }

    /// The responses that are out, each from its status on.
    func responses() throws -> [String] {
        var text = ""
        while let bytes = try channel.readOutbound(as: ByteBuffer.self) { text += String(buffer: bytes) }
        return text.split(separator: "HTTP/1.1 ").map(String.init)
    }

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
