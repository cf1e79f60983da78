import NIOCore
import ProxyTestSupport
import TestSupport
import Testing
import UpstreamTestSupport

@testable import Authorization
@testable import Proxy
@testable import Upstream

/// A response that its client does not read, beside others that fill the connection.
struct HeldUpStreamTests {
    /// More than may be queued for one stream, and for all, in addition to a window.
    private static let muchForOne = 170_000
    private static let muchForAll = 900_000

    private let client: HTTP2ClientConnection
    /// The stream whose deadline is looked at, and one that fills the connection.
    private let stream: HTTP2ClientConnection.Stream
    private let other: HTTP2ClientConnection.Stream

    init() throws {
        client = try HTTP2ClientConnection()
        let token = try RequestPipeline.token(["exp": 4_000_000_000])
        stream = try client.response(token: token)
        other = try client.response(token: token)
    }

    /// Both are blocked, each by its own window, and the other one has so much queued that no server may send more.
    private func fill() throws {
        try client.serverSends(Self.muchForOne, on: stream)
        try client.serverSends(Self.muchForAll, on: other)
        // A rate that holds for minutes.
        try client.takes(150_000, on: other)
        try #require(client.connection.pressure.holdsServers)
    }

    /// Takes all of the stream's body that was sent.
    private func drain() throws {
        try client.takes(Self.muchForOne - (client.bodies[stream.id]?.count ?? 0), on: stream)
        try #require(client.bodies[stream.id]?.count == Self.muchForOne)
        try #require(client.connection.pressure.holdsServers)
    }

    /// Lets both deadlines pass: by the rate, after 64 s for a window, and by idleness, after 75. The other stream
    /// continues in the meantime.
    private func passDeadlines() throws {
        try client.pass(66, after: client.now)
        try client.takes(20_000, on: other)
        try client.pass(77, after: client.now)
        try #require(client.isOpen(other), "the connection stays")
    }

    @Test func unreadResponseIsReset() throws {
        try fill()
        try passDeadlines()
        #expect(client.resets[stream.id] == .cancel && !client.isOpen(stream))
        #expect(stream.server.isAbandoned)
    }

    @Test func responseWaitingForOthersIsNotReset() throws {
        try fill()
        try drain()
        try passDeadlines()
        #expect(client.resets[stream.id] == nil && client.isOpen(stream))
        #expect(!stream.server.isAbandoned)
    }

    /// The wait for other streams is over, and the wait for the client begins.
    @Test func responseGetsDeadlineOnceWaitingForItsClient() throws {
        try fill()
        try drain()
        try client.serverSends(Self.muchForOne, on: stream)
        try passDeadlines()
        #expect(client.resets[stream.id] == .cancel && !client.isOpen(stream))
        #expect(stream.server.isAbandoned)
    }

    /// Each of them may have more to read in this turn.
    @Test func serversOfOtherStreamsArePaused() throws {
        other.exchange.responseBody(ByteBuffer(repeating: 7, count: Self.muchForAll), 0..<Self.muchForAll)
        other.exchange.flushResponse()
        try #require(client.connection.pressure.holdsServers)
        #expect(!stream.server.isReading && !other.server.isReading)
    }

    /// As soon as the other streams are sent, its server continues.
    @Test func responseContinuesAfterWaitingForOthers() throws {
        try fill()
        try drain()
        #expect(!stream.server.isReading)
        try client.takes(Self.muchForAll, on: other)
        #expect(stream.server.isReading && client.isOpen(stream))
        try client.pass(77, after: client.now)
        #expect(client.isOpen(stream))
    }
}
