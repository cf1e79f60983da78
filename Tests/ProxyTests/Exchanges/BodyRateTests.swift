import Authorization
import HTTPCore
import NIOCore
import ProxyTestSupport
import Testing
import UpstreamTestSupport

@testable import Proxy
@testable import Tenants
@testable import Upstream

/// When the minimum rate of bodies applies, and to which requests.
struct BodyRateTests {
    private let fixture: EmbeddedWorker
    private let client = RecordingClient()
    private let exchange: RequestExchange
    private let server: RecordingServer

    init() throws {
        fixture = try EmbeddedWorker()
        exchange = RequestExchange(worker: fixture.worker)
        server = RecordingServer(fixture.pools[0])
    }

    /// A request whose head has reached the server, and whose body follows.
    private func begin(_ lines: [String] = []) throws {
        let token = try RequestPipeline.token(["exp": .number(.init(4_000_000_000))])
        let all = ["Authorization: Bearer \(token)", "Content-Length: 100000"] + lines
        let request = fixture.worker.loop.spares.requests.take()
        let bytes = ByteBuffer(bytes: RequestPipeline.request("/a", method: "POST", lines: all))
        try #require(request.parse(bytes, fixture.worker.parser) == .complete)
        exchange.begin(request, version: .http11, for: client)
        // As the pool does it.
        server.pool.forget(exchange.upstream)
        exchange.upstream.serverReady(server)
        try #require(exchange.takesBody)
    }

    /// It waits for the server's 100, as it should.
    @Test func waitForContinueDoesNotCountAgainstClient() throws {
        try begin(["Expect: 100-continue"])
        exchange.bodyAwaited(since: 0)
        #expect(!exchange.rates.request.isWaiting)
        exchange.interim(try response("HTTP/1.1 100 Continue\r\n\r\n"))
        #expect(exchange.rates.request.isWaiting)
    }

    @Test func serverBackpressureDoesNotCountAgainstClient() throws {
        try begin()
        exchange.bodyAwaited(since: 0)
        #expect(exchange.rates.request.isWaiting)
        server.isWritable = false
        exchange.serverWritabilityChanged(false)
        #expect(!exchange.rates.request.isWaiting)
    }

    @Test func clientNotReadingResponseIsLimited() throws {
        try begin()
        exchange.responseStarted(try response("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"), .length(9))
        client.isWritable = false
        exchange.responseIsHeldUp()
        #expect(exchange.rates.response?.rate == 1 << 10)
        #expect(exchange.rates.response?.isWaiting == true)
        // The deadline has passed, and nothing was taken since.
        #expect(!exchange.clientTakesResponse())
        client.taken = 5000
        #expect(exchange.clientTakesResponse())
        #expect(!exchange.clientTakesResponse())
        client.isWritable = true
        exchange.clientWritabilityChanged(true)
        #expect(exchange.rates.response?.isWaiting == false)
    }

    @Test func deadlineReturnsWhenResponseWaitsForItsClient() throws {
        try begin()
        exchange.responseStarted(try response("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"), .length(9))
        exchange.bodyEnded(trailers: [])
        client.isWritable = false
        exchange.responseIsHeldUp()
        exchange.responseIsFree()
        #expect(exchange.rates.response?.isWaiting == false && client.deadline == WheelTimer.never)
        exchange.responseIsHeldUp()
        #expect(exchange.rates.response?.isWaiting == true && client.deadline != WheelTimer.never)
    }

    /// A server that has responded early, and whose response waits here, reads no more of the request.
    @Test func bodyEndingAfterServerIsComplete() throws {
        try begin()
        exchange.upstream.end()
        #expect(exchange.bodyReceived(ByteBuffer(string: "a")))
        exchange.bodyEnded(trailers: [])
        #expect(exchange.lifecycle.body.isComplete && !exchange.takesBody)
    }

    /// The server responds and closes during the flush that sends it more of the body.
    @Test func exchangeEndingInFlushSetsNoDeadline() throws {
        try begin()
        server.onFlush = { [exchange] in exchange.refuse(.overloaded) }
        #expect(exchange.bodyReceived(ByteBuffer(string: "a")))
        let deadline = client.deadline
        #expect(exchange.flushBody(since: 0))
        #expect(client.statuses == [503] && client.deadline == deadline)
    }

    @Test func ratesAreResetPerRequest() throws {
        try begin()
        exchange.responseStarted(try response("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"), .length(9))
        client.isWritable = false
        client.taken = 5000
        exchange.responseIsHeldUp()
        exchange.clientGone()
        client.isWritable = true
        try begin()
        #expect(exchange.rates.response == nil && exchange.rates.request.bytes == 0)
    }

    private func response(_ text: String) throws -> ReceivedResponse {
        let response = ReceivedResponse()
        try #require(response.parse(ByteBuffer(string: text), ResponseHeadParser()) == .complete)
        return response
    }
}
