import ProxyTestSupport
import SharedState
import Store
import TestSupport
import Testing
import Time
import UpstreamTestSupport
import Verification

@testable import Authorization
@testable import Proxy
@testable import SharedState
@testable import Upstream

/// The ends of a WebSocket on a stream of HTTP/2.
struct WebSocketStreamTests {
    /// Why the client does not read more of the WebSocket.
    enum Obstacle: CaseIterable {
        /// Its own window is used up.
        case window
        /// Another stream fills the connection.
        case otherStream
    }

    /// A message that begins and does not end.
    private static let largeMessage: [UInt8] = [0x82, 127, 0, 0, 0, 0, 0x7f, 0, 0, 0]

    private let client: HTTP2ClientConnection

    init() throws { client = try HTTP2ClientConnection() }

    /// - Parameter seconds: How long the token is valid, with its leeway.
    private func token(goodFor seconds: Int = 1_000_000) throws -> String {
        let worker = client.fixture.worker
        let now = worker.unixTime(at: worker.now())
        return try RequestPipeline.token(["sid": "s1", "exp": .number(JSONNumber(Int(now.seconds) + seconds - 60))])
    }

    private func revoke() throws {
        let worker = client.fixture.worker
        var set = RevocationSet()
        let entry = RevocationEntry(revokedAt: 1, expiresAt: .distantFuture, version: 1)
        _ = set.apply(entry, for: RevocationDigest(.session("s1")))
        worker.use(RevocationUpdate(sets: ["app": set], contact: worker.now()))
        worker.watchRevocations(at: worker.now())
        try client.exchangeBytes()
    }

    /// In the middle of a message, with a client that does not read.
    private func stall(_ stream: HTTP2ClientConnection.Stream, by obstacle: Obstacle) throws {
        switch obstacle {
        case .window:
            try client.serverSends(Self.largeMessage + [UInt8](repeating: 7, count: 170_000), inside: stream)
        case .otherStream:
            let other = try client.response(token: try token())
            try client.serverSends(900_000, on: other)
            try #require(client.connection.pressure.holdsServers)
            try client.serverSends(Self.largeMessage, inside: stream)
        }
    }

    private static func closeFrame(_ code: UInt16) -> [UInt8] { [UInt8(code >> 8), UInt8(code & 255)] }

    @Test func revokedCallerGetsCloseFrameAndStreamEnds() throws {
        let stream = try client.webSocket(token: try token())
        try client.serverSends([0x81, 1, 65], inside: stream)
        #expect(client.isOpen(stream))
        try revoke()
        let bytes = try #require(client.bodies[stream.id])
        #expect(bytes.prefix(4) == [0x81, 1, 65, 0x88] && Array(bytes[5..<7]) == Self.closeFrame(1008))
        #expect(client.ended.contains(stream.id) && !client.isOpen(stream))
        #expect(stream.server.isTunnelEnded)
    }

    @Test func expiredCallerGetsCloseFrameAndStreamEnds() throws {
        let start = client.now
        let stream = try client.webSocket(token: try token(goodFor: 20))
        try client.pass(18, after: start)
        #expect(client.isOpen(stream))
        try client.pass(21, after: client.now)
        let bytes = try #require(client.bodies[stream.id])
        #expect(bytes.first == 0x88 && Array(bytes[2..<4]) == Self.closeFrame(1008))
        #expect(client.ended.contains(stream.id) && !client.isOpen(stream))
        #expect(stream.server.isTunnelEnded)
    }

    /// An unfinished message has two seconds to end, whether the client reads it or not.
    @Test(arguments: Obstacle.allCases)
    func revokedUnresponsiveCallerIsClosedAfterTwoSeconds(_ obstacle: Obstacle) throws {
        let stream = try client.webSocket(token: try token())
        try stall(stream, by: obstacle)
        let start = client.now
        try revoke()
        try client.pass(1.9, after: start)
        #expect(client.isOpen(stream) && !stream.server.isTunnelEnded)
        try client.pass(2.1, after: client.now)
        #expect(!client.isOpen(stream) && stream.server.isTunnelEnded)
    }

    @Test(arguments: Obstacle.allCases)
    func expiredUnresponsiveCallerIsClosedAfterTwoSeconds(_ obstacle: Obstacle) throws {
        let stream = try client.webSocket(token: try token(goodFor: 20))
        try stall(stream, by: obstacle)
        try client.pass(21, after: client.now)
        #expect(client.isOpen(stream), "the unfinished message has not ended")
        try client.pass(24, after: client.now)
        #expect(!client.isOpen(stream) && stream.server.isTunnelEnded)
    }

    /// A silent tunnel ends after the backend's `idle`, even if its client does not read. A response has more time.
    @Test(arguments: Obstacle.allCases)
    func blockedTunnelKeepsIdleTimeout(_ obstacle: Obstacle) throws {
        let start = client.now
        let stream = try client.webSocket(token: try token())
        try stall(stream, by: obstacle)
        let idle = Double(stream.server.pool.idleTimeout) / 1_000_000_000
        try client.pass(idle - 1, after: start)
        #expect(client.isOpen(stream))
        try client.pass(idle + 1, after: client.now)
        #expect(!client.isOpen(stream) && stream.server.isTunnelEnded)
    }
}
