import Authorization
import HTTPCore
import NIOCore
import Time
import Upstream

/// A WebSocket between a client and a server: bytes pass untouched, and the gateway keeps no more of them than where
/// frames begin, so that it can end the connection in the protocol's own words when the caller may no longer use it.
final class Tunnel {
    /// Why the gateway ends a tunnel, in the words for the client (RFC 6455 section 7.4.1).
    enum Ending {
        /// The token has expired, or the caller may no longer be connected for another reason.
        case sessionEnded
        case shuttingDown

        fileprivate var frame: [UInt8] {
            switch self {
            case .sessionEnded:
                CloseFrame.bytes(code: CloseFrame.policyViolation, reason: "the session has ended", mask: nil)
            case .shuttingDown: CloseFrame.bytes(code: CloseFrame.goingAway, reason: "", mask: nil)
            }
        }
    }

    private enum State {
        case open
        /// Each direction passes its bytes up to the end of the frame under way, and gets a Close frame then.
        case closing(clientIsTold: Bool, serverIsTold: Bool)
        case over
    }

    /// For the frames that were under way when the end was decided.
    private static let closingTime: UInt64 = 2_000_000_000

    private let worker: Worker
    private var client: RequestExchange?
    private var server: (any UpstreamServer)?
    private var state = State.open
    private var ending = Ending.sessionEnded
    private var fromClient = FrameBoundary()
    private var fromServer = FrameBoundary()
    private let idleTimeout: UInt64
    private let expiry = WheelTimer()

    /// - Parameter expiresAt: When the caller's token is no longer good; nil for never.
    init(_ client: RequestExchange, _ server: any UpstreamServer, worker: Worker, expiresAt: MonotonicTime?) {
        self.client = client
        self.server = server
        self.worker = worker
        idleTimeout = server.pool.idleTimeout
        expiry.target = self
        if let expiresAt { worker.loop.timers.set(expiry, expiresAt) }
        client.setDeadline(idleTimeout)
    }

    // MARK: Bytes

    func clientSent(_ bytes: ByteBuffer) {
        guard let client, let server, let passing = take(bytes, &fromClient) else { return }
        heard()
        server.sendTunnel(passing)
        tellServer()
        if !server.isWritable { client.setReading(false) }
    }

    func serverSent(_ bytes: ByteBuffer) {
        guard let client, let server, let passing = take(bytes, &fromServer) else { return }
        heard()
        client.writeTunnel(passing)
        tellClient()
        if !client.takesResponse { server.setReading(false) }
    }

    /// What may pass of the bytes that came: all of them, until the end was decided.
    private func take(_ bytes: ByteBuffer, _ boundary: inout FrameBoundary) -> ByteBuffer? {
        switch state {
        case .over: return nil
        case .open:
            boundary.advance(bytes.readableBytesUInt8Span)
            return bytes
        case .closing:
            guard !boundary.isAtBoundary else { return nil }
            let end = boundary.prefixToBoundary(bytes.readableBytesUInt8Span) ?? bytes.readableBytes
            let passing = bytes.getSlice(at: bytes.readerIndex, length: end)
            if let passing { boundary.advance(passing.readableBytesUInt8Span) }
            return passing
        }
    }

    /// Both directions count: a server that only pushes is not silent, nor is a client that only talks.
    private func heard() {
        if case .open = state { client?.setDeadline(idleTimeout) }
    }

    // MARK: Ends

    /// Both sides are told by a Close frame, each after the frame that is under way. The server's client is gone, whatever
    /// the reason: 1001.
    func close(_ ending: Ending) {
        guard case .open = state, let client else { return }
        self.ending = ending
        state = .closing(clientIsTold: false, serverIsTold: false)
        client.setDeadline(Self.closingTime)
        client.setReading(true)
        server?.setReading(true)
        tellServer()
        tellClient()
        self.client?.flushTunnel()
        self.server?.flush(bodyFollows: true)
    }

    private func tellClient() {
        guard case .closing(false, let serverIsTold) = state else { return }
        if !fromServer.hasClosed {
            guard fromServer.isAtBoundary else { return }
            client?.writeTunnel(ByteBuffer(bytes: ending.frame))
        }
        state = .closing(clientIsTold: true, serverIsTold: serverIsTold)
        endWhenToldBoth()
    }

    private func tellServer() {
        guard case .closing(let clientIsTold, false) = state else { return }
        if !fromClient.hasClosed {
            guard fromClient.isAtBoundary else { return }
            let mask = UInt32(truncatingIfNeeded: worker.loop.identifiers.next())
            let frame = CloseFrame.bytes(code: CloseFrame.goingAway, reason: "", mask: mask)
            server?.sendTunnel(ByteBuffer(bytes: frame))
        }
        state = .closing(clientIsTold: clientIsTold, serverIsTold: true)
        endWhenToldBoth()
    }

    private func endWhenToldBoth() {
        if case .closing(true, true) = state { end() }
    }

    /// Nothing was heard for as long as the backend's `idle` timeout, or a closing took too long.
    func wentSilent() { end() }

    /// The client's connection is gone.
    func clientGone() { end() }

    /// The server has closed; what it sent before is on its way to the client.
    func serverGone() {
        server = nil
        end()
    }

    private func end() {
        if case .over = state { return }
        state = .over
        worker.loop.timers.retire(expiry)
        let (client, server) = (client, server)
        self.client = nil
        self.server = nil
        server?.endTunnel()
        client?.tunnelEnded()
    }
}

extension Tunnel: WheelTimerTarget {
    func deadlineMet() { close(.sessionEnded) }
}
