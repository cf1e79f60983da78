import Authorization
import Glibc
import HTTPCore
import NIOCore
import ProxyTestSupport
import Testing
import Time
import UpstreamTestSupport

@testable import Proxy
@testable import Upstream

/// Impossible events: each closes the connection, and nothing is written to any client. A debug build stops at them,
/// so each has a process of its own, which exits with success exactly if the event was not noticed in time.
struct ImpossibleEventTests {
    @Test func secondGatewayResponseIsNotWritten() async {
        await #expect(processExitsWith: .failure) {
            Broken.run { broken in
                broken.exchange.refuseUnread(.overloaded, version: .http11, for: broken.client)
                return { broken.exchange.refuse(.overloaded) }
            }
        }
    }

    @Test func endWithoutResponseIsNotWritten() async {
        await #expect(processExitsWith: .failure) {
            Broken.run { broken in
                try broken.takeServer()
                return { broken.exchange.completeResponse(trailers: [], at: .distantPast) }
            }
        }
    }

    @Test func serverAssignedTwiceGetsNothing() async {
        await #expect(processExitsWith: .failure) {
            Broken.run { broken in
                try broken.takeServer()
                return { broken.exchange.serverTaken() }
            }
        }
    }

    @Test func grantWithoutDecisionIsNotForwarded() async {
        await #expect(processExitsWith: .failure) {
            Broken.run { broken in
                try broken.begin()
                broken.exchange.refuse(.overloaded)
                let request = try broken.request()
                let bytes = request.bytes
                return { broken.exchange.decide(request, bytes.readableBytesUInt8Span, at: broken.now) }
            }
        }
    }
}

/// An exchange in a process of its own.
private struct Broken {
    let fixture: EmbeddedWorker
    let exchange: RequestExchange
    let client = RecordingClient()

    private init() throws {
        fixture = try EmbeddedWorker()
        exchange = RequestExchange(worker: fixture.worker)
    }

    var now: UnixTime { fixture.worker.unixTime(at: fixture.worker.now()) }

    /// - Parameter prepare: Gives the event.
    static func run(_ prepare: (Broken) throws -> () -> Void) -> Never {
        guard let broken = try? Broken(), let event = try? prepare(broken) else { exit(EXIT_SUCCESS) }
        broken.client.onWrite = { exit(EXIT_SUCCESS) }
        event()
        // Only a release build comes here.
        exit(broken.client.isClosed ? EXIT_FAILURE : EXIT_SUCCESS)
    }

    func request() throws -> ReceivedRequest {
        let token = try RequestPipeline.token(["exp": .number(.init(4_000_000_000))])
        let request = ReceivedRequest()
        let bytes = RequestPipeline.request("/a", lines: ["Authorization: Bearer \(token)"])
        try #require(request.parse(ByteBuffer(bytes: bytes), fixture.worker.parser) == .complete)
        return request
    }

    /// A request waits for a server.
    func begin() throws {
        exchange.begin(try request(), version: .http11, for: client)
        try #require(exchange.upstream.waitsAt != nil)
    }

    func takeServer() throws {
        try begin()
        let server = RecordingServer(fixture.pools[0])
        server.pool.forget(exchange.upstream)
        exchange.upstream.serverReady(server)
        try #require(exchange.upstream.server === server)
        server.onWrite = { exit(EXIT_SUCCESS) }
    }
}
