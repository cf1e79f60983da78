import Authorization
import Foundation
import NIOCore
import NIOEmbedded
import ProxyTestSupport
import TestSupport
import Testing
import Time
import Upstream
import UpstreamTestSupport

@testable import Proxy
@testable import Tenants

/// Endpoints of a tenant that has as many endpoint requests in progress as allowed.
@Suite struct EndpointLoadTests {
    /// However many wait on a connection, none is served from within another: each would use a stack frame.
    @Test func queuedRequestsAreRefusedInOrder() throws {
        let count = 1500
        var tenant = try RequestPipeline.tenant()
        tenant.issuer = BuiltInIssuer(url: "https://app.test", audience: "app", algorithm: .es256)
        let fixture = EmbeddedWorker([tenant])
        fixture.worker.serving.tenants[0].endpointRequests = 256
        let loop = try #require(fixture.worker.eventLoop as? EmbeddedEventLoop)
        let peer = Peer(nil, trustedProxies: [])
        let connection = HTTP1ServerConnection(worker: fixture.worker, peer: peer, isWithinLimit: true)
        let channel = EmbeddedChannel(handler: connection, loop: loop)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        let request = "GET /userinfo HTTP/1.1\r\nHost: app.test\r\n\r\n"
        try channel.writeInbound(ByteBuffer(string: String(repeating: request, count: count)))
        var answers = ""
        while let part = try channel.readOutbound(as: ByteBuffer.self) { answers += String(buffer: part) }
        #expect(answers.components(separatedBy: "HTTP/1.1 503 ").count - 1 == count)
        #expect(try channel.finish().isClean)
    }
}

/// How long the body of a request at an endpoint may take.
@Suite struct EndpointBodyTests {
    private let fixture: EmbeddedWorker
    private let connection: HTTP1ServerConnection
    private let channel: EmbeddedChannel

    init() throws {
        var tenant = try RequestPipeline.tenant()
        tenant.issuer = BuiltInIssuer(url: "https://app.test", audience: "app", algorithm: .es256)
        fixture = EmbeddedWorker([tenant])
        let loop = try #require(fixture.worker.eventLoop as? EmbeddedEventLoop)
        connection = HTTP1ServerConnection(
            worker: fixture.worker,
            peer: Peer(nil, trustedProxies: []),
            isWithinLimit: true
        )
        channel = EmbeddedChannel(handler: connection, loop: loop)
        channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
    }

    private func sendHead() throws {
        let head = "POST /oauth2/token HTTP/1.1\r\nHost: app.test\r\nContent-Length: 4\r\n\r\n"
        try channel.writeInbound(ByteBuffer(string: head))
    }

    /// The second request on a connection must not use what was recorded of the first.
    @Test func everyRequestBodyHasItsOwnDeadline() throws {
        for _ in 0..<2 {
            let before = fixture.worker.now()
            try sendHead()
            #expect(connection.exchange.rates.request.rate == 1 << 10)
            #expect(connection.exchange.rates.request.isWaiting)
            #expect(connection.exchange.rates.request.deadline >= before + BodyRateMeter.grace)
            #expect(connection.exchange.rates.request.deadline != WheelTimer.never)
            try channel.writeInbound(ByteBuffer(string: "body"))
            connection.exchange.endpointAnswered(.refused(.badRequest("enough")))
        }
        _ = try channel.finish()
    }

    /// Waiting for the client's body, or for a response that is made elsewhere, does not block the loop.
    @Test func waitingAtEndpointIsNotLoopWork() throws {
        try sendHead()
        #expect(connection.exchange.workBeganAt == 0)
        try channel.writeInbound(ByteBuffer(string: "body"))
        #expect(connection.exchange.workBeganAt == 0)
        _ = try channel.finish()
    }
}

/// The time by which a request at an endpoint is checked.
@Suite struct EndpointTimeTests {
    /// With the time of its head, a client that holds the body back could use what has expired since.
    @Test func requestTimeIsThatOfLastByte() async throws {
        let asked = Mailbox<UnixTime>("a question")
        var tenant = try RequestPipeline.tenant()
        tenant.issuer = BuiltInIssuer(url: "https://app.test", audience: "app", algorithm: .es256)
        let fixture = EmbeddedWorker(
            [tenant],
            answer: { _, request in
                asked.put(request.now)
                return .refused(.badRequest("enough"))
            }
        )
        let loop = try #require(fixture.worker.eventLoop as? EmbeddedEventLoop)
        let connection = HTTP1ServerConnection(
            worker: fixture.worker,
            peer: Peer(nil, trustedProxies: []),
            isWithinLimit: true
        )
        let channel = EmbeddedChannel(handler: connection, loop: loop)
        channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
        let head = "POST /oauth2/token HTTP/1.1\r\nHost: app.test\r\nContent-Length: 1\r\n\r\n"
        try channel.writeInbound(ByteBuffer(string: head))
        let worker = fixture.worker
        let headRead = worker.unixTime(at: worker.now())
        // Further apart than a time is rounded.
        while worker.unixTime(at: worker.now()) < headRead + 0.001 {}
        try channel.writeInbound(ByteBuffer(string: "x"))
        #expect(try channel.readOutbound(as: ByteBuffer.self).map { String(buffer: $0) } == nil)
        // A task may have to wait while the parsers' tests use all threads.
        #expect(try await asked.next(within: .seconds(120)) >= headRead + 0.001)
        _ = try channel.finish()
    }
}
