import HTTPCore
import NIOCore
import NIOEmbedded
import ProxyTestSupport
import Tenants
import TestSupport
import Testing
import Time
import UpstreamTestSupport

@testable import Authorization
@testable import Proxy
@testable import Upstream

/// A client's connection over HTTP/2 without sockets: our session as the client, the gateway's streams, and servers that
/// a test controls. The client takes no more of a stream than ``HTTP2Limits/streamWindow`` unless a test reads more.
final class HTTP2ClientConnection {
    /// A stream as both of its ends see it.
    struct Stream {
        let id: UInt32
        let exchange: RequestExchange
        let server: RecordingServer
    }

    let fixture: EmbeddedWorker
    let connection: HTTP2ServerConnection
    private let channel: EmbeddedChannel
    private let flushes = FlushHandler()
    private var session = HTTP2Session(role: .client, limits: HTTP2Limits())
    private var fields = HeaderList()
    /// Octets of body that came on each stream, and how its messages ended.
    private(set) var bodies: [UInt32: [UInt8]] = [:]
    private(set) var ended: Set<UInt32> = []
    private(set) var resets: [UInt32: HTTP2ErrorCode] = [:]

    init() throws {
        fixture = try EmbeddedWorker()
        let loop = try #require(fixture.worker.eventLoop as? EmbeddedEventLoop)
        let peer = Peer(nil, trustedProxies: [])
        connection = HTTP2ServerConnection(worker: fixture.worker, peer: peer, isWithinLimit: true)
        channel = EmbeddedChannel(loop: loop)
        try channel.pipeline.syncOperations.addHandlers([flushes, connection])
        _ = fixture.worker.opened(connection)
        channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
        session.start()
        try exchangeBytes()
    }

    // MARK: Requests and responses

    private static func get(_ path: String = "/a", token: String) -> [HPACKField] {
        [
            HPACKField(":method", "GET"), HPACKField(":scheme", "http"), HPACKField(":path", path),
            HPACKField(":authority", "app.test"), HPACKField("authorization", "Bearer \(token)"),
        ]
    }

    /// A request whose head has reached a server.
    func request(_ path: String = "/a", token: String) throws -> Stream {
        try open(Self.get(path, token: token), endStream: true)
    }

    /// A request that gets an idle connection at once. Its server has no time limit.
    func requestAtIdleServer(token: String) throws -> UInt32 {
        let pool = try #require(fixture.pools.first)
        let address = try SocketAddress(ipAddress: "127.0.0.1", port: 9001)
        let loop = fixture.worker.loop
        let server = BackendConnection(pool: pool, loop: loop, address: address)
        pool.opened(.success(.single(server)), begunAt: loop.lastTick)
        let id = try send(Self.get(token: token), endStream: true)
        try exchangeBytes()
        try #require(connection.streams.open[id]?.exchange.upstream.server === server)
        server.setDeadline(WheelTimer.never)
        return id
    }

    /// A request whose body is still to come.
    func upload(token: String) throws -> Stream {
        var list = Self.get(token: token)
        list[0] = HPACKField(":method", "POST")
        return try open(list, endStream: false)
    }

    func sends(_ bytes: [UInt8], on stream: Stream) throws {
        session.sendData(stream: stream.id, ByteBuffer(bytes: bytes), endStream: false)
        try exchangeBytes()
    }

    /// The next flush fails, as the client has closed, and delivers the last request that it sent.
    func leaves(requesting path: String, token: String) throws {
        _ = try send(Self.get(path, token: token), endStream: true)
        flushes.next = FlushHandler.Flush(delivers: Array(session.output.readableBytesView), closes: true)
        session.output.clear()
    }

    /// A request whose response has begun.
    func response(token: String) throws -> Stream {
        let stream = try request(token: token)
        let head = try Self.head("HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n")
        stream.exchange.responseStarted(head, .length(100_000_000))
        try exchangeBytes()
        return stream
    }

    /// A WebSocket that the server has granted (RFC 8441).
    func webSocket(token: String) throws -> Stream {
        let stream = try open(
            [
                HPACKField(":method", "CONNECT"), HPACKField(":protocol", "websocket"), HPACKField(":scheme", "http"),
                HPACKField(":path", "/a"), HPACKField(":authority", "app.test"),
                HPACKField("sec-websocket-version", "13"), HPACKField("authorization", "Bearer \(token)"),
            ],
            endStream: false
        )
        let lines = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"
        stream.exchange.switched(try Self.head(lines))
        try exchangeBytes()
        return stream
    }

    private func send(_ list: [HPACKField], endStream: Bool) throws -> UInt32 {
        let next = session.openStream()
        let id = try #require(next)
        session.sendHeaders(stream: id, endStream: endStream) { encoder, out in
            for field in list {
                let (name, value) = (Array(field.name.utf8), Array(field.value.utf8))
                encoder.encode(name: name.span, value: value.span, indexing: .without, to: &out)
            }
        }
        return id
    }

    private func open(_ list: [HPACKField], endStream: Bool) throws -> Stream {
        let id = try send(list, endStream: endStream)
        try exchangeBytes()
        let exchange = try #require(connection.streams.open[id]).exchange
        let server = RecordingServer(try #require(exchange.upstream.waitsAt))
        // As the pool does it.
        server.pool.forget(exchange.upstream)
        exchange.upstream.serverReady(server)
        return Stream(id: id, exchange: exchange, server: server)
    }

    /// The server sends so many bytes of a response's body at once.
    func serverSends(_ count: Int, on stream: Stream) throws {
        stream.exchange.responseBody(ByteBuffer(repeating: 7, count: count), 0..<count)
        stream.exchange.flushResponse()
        try exchangeBytes()
    }

    /// The server sends bytes of a WebSocket.
    func serverSends(_ bytes: [UInt8], inside stream: Stream) throws {
        stream.exchange.tunnelReceived(ByteBuffer(bytes: bytes))
        stream.exchange.flushResponse()
        try exchangeBytes()
    }

    /// The client reads so many more bytes of a stream.
    func takes(_ count: Int, on stream: Stream) throws {
        let window = session.receiveWindow(ofStream: stream.id)
        session.widen(stream: stream.id, to: try #require(window) + count)
        try exchangeBytes()
    }

    func isOpen(_ stream: Stream) -> Bool { connection.streams.open[stream.id] != nil }

    static func head(_ text: String) throws -> ReceivedResponse {
        let response = ReceivedResponse()
        try #require(response.parse(ByteBuffer(string: text), ResponseHeadParser()) == .complete)
        return response
    }

    // MARK: Bytes and time

    /// Passes the output of each end to the other until neither has any.
    func exchangeBytes() throws {
        var isQuiet = false
        while !isQuiet {
            isQuiet = true
            if session.output.readableBytes > 0 {
                isQuiet = false
                let bytes = session.output
                session.output = ByteBuffer()
                try channel.writeInbound(bytes)
            }
            while let bytes = try channel.readOutbound(as: ByteBuffer.self) {
                isQuiet = false
                session.receive(bytes)
            }
            while let event = session.next(headers: &fields, at: 1) { take(event) }
            fixture.worker.loop.endTurn()
            if session.output.readableBytes > 0 { isQuiet = false }
        }
    }

    private func take(_ event: HTTP2Session.Event) {
        switch event {
        case .headers(let id, let endStream, _): if endStream { ended.insert(id) }
        case .data(let id, let bytes, let flowControlled, let endStream):
            bodies[id, default: []] += Array(bytes.readableBytesView)
            // The connection's window does not matter here.
            session.passedOn(stream: id, flowControlled)
            if endStream { ended.insert(id) }
        case .reset(let id, let code, _): resets[id] = code
        case .writable, .goAway, .settings, .connectionError: break
        }
    }

    var now: MonotonicTime { fixture.worker.now() }

    /// Runs the timers up to so many seconds after a time.
    func pass(_ seconds: Double, after start: MonotonicTime) throws {
        let loop = fixture.worker.loop
        let moment = start + UInt64(seconds * 1_000_000_000)
        for timer in loop.timers.advance(to: moment) where timer.takeDeadline(at: moment) {
            timer.target?.deadlineMet()
        }
        loop.endTurn()
        try exchangeBytes()
    }
}
