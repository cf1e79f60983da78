import Authorization
import HTTPCore
import NIOCore
import NIOEmbedded
import ProxyTestSupport
import Testing
import UpstreamTestSupport

@testable import Proxy
@testable import Upstream

/// A server over HTTP/1.1 that takes no more of a request's body, and then more again: its channel says so during a
/// write, and the exchange is notified when the write is done.
struct ServerWritabilityTests {
    private let fixture: EmbeddedWorker
    private let exchange: RequestExchange
    private let client = RecordingClient()
    private let connection: BackendConnection
    private let channel = EmbeddedChannel()

    init() throws {
        fixture = try EmbeddedWorker()
        exchange = RequestExchange(worker: fixture.worker)
        let address = try SocketAddress(ipAddress: "127.0.0.1", port: 9001)
        connection = BackendConnection(pool: fixture.pools[0], loop: fixture.worker.loop, address: address)
        try channel.pipeline.syncOperations.addHandler(connection)
        try #require(connection.connected())
        try begin()
    }

    /// A request whose body is still to come gets the connection.
    private func begin() throws {
        let token = try RequestPipeline.token(["exp": .number(.init(4_000_000_000))])
        let request = fixture.worker.loop.spares.requests.take()
        let lines = ["Authorization: Bearer \(token)", "Content-Length: 100"]
        let bytes = RequestPipeline.request("/a", method: "POST", lines: lines)
        try #require(request.parse(ByteBuffer(bytes: bytes), fixture.worker.parser) == .complete)
        exchange.begin(request, version: .http11, for: client)
        let pool = try #require(exchange.upstream.waitsAt)
        pool.forget(exchange.upstream)
        exchange.upstream.serverReady(connection)
        try #require(exchange.upstream.server === connection)
    }

    private func writabilityChanged(_ isWritable: Bool) {
        channel.isWritable = isWritable
        channel.pipeline.fireChannelWritabilityChanged()
    }

    @Test func writabilityIsReportedAtEndOfTurn() {
        let told = client.readings.count
        writabilityChanged(false)
        #expect(!connection.isWritable && client.readings.count == told)
        fixture.worker.loop.endTurn()
        #expect(client.readings.dropFirst(told) == [false])
        writabilityChanged(true)
        #expect(connection.isWritable && client.readings.count == told + 1)
        fixture.worker.loop.endTurn()
        #expect(client.readings.dropFirst(told) == [false, true])
    }

    @Test func latestWritabilityIsReported() {
        let told = client.readings.count
        writabilityChanged(false)
        writabilityChanged(true)
        fixture.worker.loop.endTurn()
        #expect(client.readings.dropFirst(told).allSatisfy { $0 })
    }

    @Test func writabilityOfPreviousRequestIsNotReported() throws {
        writabilityChanged(false)
        // The response is over within the same turn, and the connection free for the next request.
        let isFree = connection.state.responseStarted(keepsAlive: true) && connection.state.responseEnded()
        try #require(isFree)
        exchange.upstream.end()
        exchange.refuse(.overloaded)
        try begin()
        let told = client.readings.count
        fixture.worker.loop.endTurn()
        #expect(client.readings.count == told)
    }
}
