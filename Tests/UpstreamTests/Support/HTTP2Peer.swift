import HTTPCore
import NIOCore
import NIOEmbedded
import Testing

@testable import Upstream

/// A server that speaks HTTP/2, without sockets: our session as the server, and the gateway's connection to it.
final class HTTP2Peer {
    let multiplexer: BackendMultiplexer
    let channel = EmbeddedChannel()
    private let loop: LoopContext
    private var session = HTTP2Session(role: .server, limits: HTTP2Limits())
    private var fields = HeaderList()
    /// Streams whose requests arrived, in order.
    private(set) var requests: [UInt32] = []
    private(set) var resets: [UInt32: HTTP2ErrorCode] = [:]

    init(_ pool: ServerPool, _ loop: LoopContext) throws {
        self.loop = loop
        let address = try SocketAddress(ipAddress: "127.0.0.1", port: 9001)
        multiplexer = BackendMultiplexer(pool: pool, loop: loop, address: address)
        try channel.pipeline.syncOperations.addHandler(multiplexer)
        session.start()
        try exchangeBytes()
    }

    /// The whole response to the last request.
    func respond(_ body: String) throws {
        try respond(to: try #require(requests.last), body)
    }

    func respond(to id: UInt32, _ body: String) throws {
        sendHead(of: id)
        session.sendData(stream: id, ByteBuffer(string: body), endStream: true)
        try exchangeBytes()
    }

    /// Begins the response to the last request, and sends pieces of it, all in one read that does not end.
    func sendPieces(_ count: Int, of size: Int) throws {
        let id = try #require(requests.last)
        sendHead(of: id)
        let piece = ByteBuffer(repeating: 0x78, count: size)
        for _ in 1...count { session.sendData(stream: id, piece, endStream: false) }
        channel.pipeline.fireChannelRead(session.output)
        session.output = ByteBuffer()
    }

    private func sendHead(of id: UInt32) {
        session.sendHeaders(stream: id, endStream: false) { encoder, out in
            encoder.encode(
                name: Array(":status".utf8).span,
                value: Array("200".utf8).span,
                indexing: .without,
                to: &out
            )
        }
    }

    /// Passes the output of each end to the other until neither has any. The work for the end of
    /// the loop's turn is done.
    func exchangeBytes() throws {
        var isQuiet = false
        while !isQuiet {
            isQuiet = true
            while let event = session.next(headers: &fields, at: 1) { take(event) }
            if session.output.readableBytes > 0 {
                isQuiet = false
                let bytes = session.output
                session.output = ByteBuffer()
                try channel.writeInbound(bytes)
            }
            loop.endTurn()
            while let bytes = try channel.readOutbound(as: ByteBuffer.self) {
                isQuiet = false
                session.receive(bytes)
            }
        }
    }

    private func take(_ event: HTTP2Session.Event) {
        switch event {
        case .headers(let id, _, _): requests.append(id)
        case .data(let id, _, let flowControlled, _): session.passedOn(stream: id, flowControlled)
        case .reset(let id, let code, _): resets[id] = code
        case .writable, .goAway, .settings, .connectionError: break
        }
    }
}
