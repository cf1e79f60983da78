import Testing
import Time
import UpstreamTestSupport

@testable import Proxy
@testable import Upstream

/// The object of a stream that has ended, and the next request that it is used for.
struct StreamReuseTests {
    private let client: HTTP2ClientConnection
    private let token: String

    init() throws {
        client = try HTTP2ClientConnection()
        token = try RequestPipeline.token(["exp": 4_000_000_000])
    }

    /// A request whose response arrives during the flush that sends the server more of its body.
    private func uploadThatIsAnsweredInTheFlush() throws -> HTTP2ServerStream {
        let upload = try client.upload(token: token)
        let stream = try #require(client.connection.streams.open[upload.id])
        let now = client.now
        let head = try HTTP2ClientConnection.head("HTTP/1.1 204 No Content\r\n\r\n")
        upload.server.onFlush = {
            upload.server.onFlush = {}
            upload.exchange.responseStarted(head, .none)
            _ = upload.exchange.responseEnded(serverKeepsAlive: true, trailers: [], at: now)
        }
        try client.sends([1], on: upload)
        try #require(!client.isOpen(upload))
        return stream
    }

    @Test func bodyDeadlineDoesNotEndNextRequest() throws {
        let stream = try uploadThatIsAnsweredInTheFlush()
        let next = try client.requestAtIdleServer(token: token)
        try #require(client.connection.streams.open[next] === stream)
        // More than `idle_timeout`, which the client has for its body.
        try client.pass(80, after: client.now)
        #expect(client.resets[next] == nil && client.connection.streams.open[next] === stream)
    }

    @Test func lateDeadlineDoesNotEndNextRequest() throws {
        let stream = try uploadThatIsAnsweredInTheFlush()
        stream.setDeadline(client.now + 5_000_000_000)
        let next = try client.requestAtIdleServer(token: token)
        try #require(client.connection.streams.open[next] === stream)
        try client.pass(6, after: client.now)
        #expect(client.resets[next] == nil && client.connection.streams.open[next] === stream)
    }

    /// The flush ends one exchange; another must not begin during it.
    @Test func requestDuringFailingFlushIsNotStarted() throws {
        let stream = try client.response(token: token)
        try client.leaves(requesting: "/b", token: token)
        stream.exchange.completeResponse(trailers: [], at: client.now)
        #expect(client.connection.streams.open.isEmpty)
        client.fixture.worker.loop.endTurn()
        #expect(client.connection.streams.open.isEmpty && stream.exchange.client == nil)
    }
}
