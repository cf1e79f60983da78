import HTTPCore
import NIOCore
import Testing
import Time

@testable import Proxy
@testable import Upstream

/// A response that ends with its connection, after the wait for its client has ended.
struct CloseDelimitedTests {
    private let client: HTTP1ClientConnection

    init() throws { client = try HTTP1ClientConnection() }

    /// All of a response is written, and the connection closing.
    private func respond(_ head: String, _ framing: ResponseFraming) throws {
        // HTTP/1.0 has no chunked coding.
        try client.sends(try HTTP1ClientConnection.request(version: "1.0"))
        _ = try client.serverTakesRequest()
        client.exchange.responseStarted(try HTTP1ClientConnection.head(head), framing)
        client.exchange.responseBody(ByteBuffer(string: "body"), 0..<4)
        client.exchange.completeResponse(trailers: [], at: client.fixture.worker.now())
        try #require(client.connection.output.delivery.isCloseDelimited == (framing == .untilClose))
        guard case .closing = client.connection.state else { throw NotClosing() }
    }

    private struct NotClosing: Error {}

    @Test func responseWithUnsentEndIsReset() throws {
        client.takesNothing()
        try respond("HTTP/1.1 200 OK\r\n\r\n", .untilClose)
        client.connection.closeNow()
        #expect(client.connection.output.isReset)
    }

    @Test func completeResponseIsClosedCleanly() throws {
        try respond("HTTP/1.1 200 OK\r\n\r\n", .untilClose)
        client.connection.closeNow()
        #expect(!client.connection.output.isReset && !client.channel.isActive)
    }

    @Test func responseOfKnownLengthNeedsNoReset() throws {
        client.takesNothing()
        try respond("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n", .length(4))
        client.connection.closeNow()
        #expect(!client.connection.output.isReset && !client.channel.isActive)
    }
}
