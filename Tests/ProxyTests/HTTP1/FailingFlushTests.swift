import HTTPCore
import NIOCore
import Testing

@testable import Proxy
@testable import Upstream

/// A client that has sent more and then closed, which shows in a flush of its response: NIO delivers the rest and the
/// close during the flush, before the exchange is done with the response.
struct FailingFlushTests {
    /// What the flush is for.
    enum Ending: CaseIterable {
        case refusal
        case refusalThatClosesTheConnection
        /// The rest is the request's own body.
        case refusalBeforeTheBody
        case violationInTheBody
        case responseThatIsCut
        case endOfATunnel
    }

    private let client: HTTP1ClientConnection
    private let rest: [UInt8]

    init() throws {
        client = try HTTP1ClientConnection()
        rest = try HTTP1ClientConnection.request()
    }

    private var isAtAServer: Bool {
        client.exchange.upstream.server != nil || client.exchange.upstream.waitsAt != nil
    }

    @Test(arguments: Ending.allCases)
    func restOfBodyIsNotReadAsRequest(_ ending: Ending) throws {
        let sent = try end(ending)
        #expect(client.exchange.upstream.number == sent, "not in the flush")
        client.endTurn()
        #expect(client.exchange.upstream.number == sent)
        #expect(!isAtAServer && !client.exchange.lifecycle.isUnderWay)
        #expect(client.exchange.client == nil && client.connection.input.count == 0)
    }

    /// - Returns: How many requests have gone to a pool.
    private func end(_ ending: Ending) throws -> UInt64 {
        switch ending {
        case .refusal: return try refuse(HTTP1ClientConnection.withoutToken())
        case .refusalThatClosesTheConnection:
            return try refuse(HTTP1ClientConnection.withoutToken(lines: ["Connection: close"]))
        case .refusalBeforeTheBody:
            return try refuse(HTTP1ClientConnection.withoutToken(method: "POST", lines: ["Content-Length: 30000"]))
        case .violationInTheBody:
            try client.sends(try HTTP1ClientConnection.request(method: "POST", lines: ["Transfer-Encoding: chunked"]))
            let server = try client.serverTakesRequest()
            client.leaves(sending: rest)
            try client.sends(Array("no length\r\n".utf8))
            #expect(server.isAbandoned && client.exchange.record.response.status == 400)
        case .responseThatIsCut:
            try client.sends(rest)
            let server = try client.serverTakesRequest()
            let head = try HTTP1ClientConnection.head("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n")
            client.exchange.responseStarted(head, .length(9))
            client.leaves(sending: rest)
            client.exchange.cut()
            #expect(server.isAbandoned)
        case .endOfATunnel:
            let server = try openTunnel()
            client.exchange.tunnelReceived(ByteBuffer(bytes: [0x81, 1, 65]))
            client.leaves(sending: rest)
            client.exchange.upstream.serverLost(server, endsProperly: false)
        }
        return 1
    }

    private func refuse(_ request: [UInt8]) throws -> UInt64 {
        client.leaves(sending: rest)
        try client.sends(request)
        #expect(client.exchange.record.response.status == 401)
        return 0
    }

    private func openTunnel() throws -> RecordingServer {
        let handshake = [
            "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        ]
        try client.sends(try HTTP1ClientConnection.request(lines: handshake))
        let server = try client.serverTakesRequest()
        client.exchange.upstream.serverSpoke()
        client.exchange.switched(try HTTP1ClientConnection.head("HTTP/1.1 101 Switching Protocols\r\n\r\n"))
        return server
    }

    /// The frames that a flush delivers are dropped, and nothing is flushed to the server during it.
    @Test func tunnelServerGetsNothingDuringFlush() throws {
        let server = try openTunnel()
        var writes = 0
        server.onWrite = { writes += 1 }
        client.exchange.tunnelReceived(ByteBuffer(bytes: [0x81, 1, 65]))
        client.leaves(sending: [0x81, 1, 66])
        client.exchange.flushResponse()
        #expect(writes == 0)
        client.endTurn()
        #expect(server.isTunnelEnded && !isAtAServer)
    }

    @Test func framesDuringFlushAreForwardedAtEndOfTurn() throws {
        let server = try openTunnel()
        var flushes = 0
        server.onFlush = { flushes += 1 }
        client.exchange.tunnelReceived(ByteBuffer(bytes: [0x81, 1, 65]))
        client.sendsInFlush([0x81, 1, 66])
        client.exchange.flushResponse()
        #expect(server.body.readableBytes == 0 && flushes == 0)
        client.endTurn()
        #expect(Array(server.body.readableBytesView) == [0x81, 1, 66] && flushes == 1)
    }

    /// In every state of the connection, its request is released.
    @Test func requestOfClosingConnectionIsReleased() throws {
        try client.sends(rest)
        let server = try client.serverTakesRequest()
        client.connection.lingerAndClose()
        client.channel.pipeline.fireChannelInactive()
        client.endTurn()
        #expect(server.isAbandoned && !isAtAServer)
    }
}
