import Authorization
import HTTPCore
import NIOCore
import Time
import Upstream

/// A WebSocket between a client and a server: bytes pass untouched, and the gateway keeps no more of them than where
/// frames begin, so that it can end the connection in the protocol's own words when the caller may no longer use it.
final class Tunnel {
    private struct Sides {
        let client: any TunnelClient
        let server: any UpstreamServer
    }

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
        case open(Sides)
        /// Each direction passes its bytes up to the end of the frame under way, and gets a Close frame then.
        case closing(Sides, Ending, clientIsTold: Bool, serverIsTold: Bool)
        case over
    }

    /// For the frames that were under way when the end was decided.
    private static let closingTime: UInt64 = 2_000_000_000

    private let loop: LoopContext
    private var state: State
    private var fromClient = FrameBoundary()
    private var fromServer = FrameBoundary()
    private let idleTimeout: UInt64
    private let expiry = WheelTimer()

    init(_ client: any TunnelClient, _ server: any UpstreamServer, loop: LoopContext) {
        state = .open(Sides(client: client, server: server))
        self.loop = loop
        idleTimeout = server.pool.idleTimeout
    }

    private var sides: Sides? {
        switch state {
        case .open(let sides), .closing(let sides, _, _, _): sides
        case .over: nil
        }
    }

    /// The tunnel stands.
    ///
    /// - Parameter expiry: When the caller's token is no longer good; nil for never.
    func opened(until expiry: MonotonicTime?) {
        self.expiry.target = self
        if let expiry { loop.timers.set(self.expiry, expiry) }
        heard()
    }

    // MARK: Bytes

    func clientSent(_ bytes: ByteBuffer) {
        guard let sides, let passing = take(bytes, &fromClient) else { return }
        heard()
        sides.server.sendTunnel(passing)
        tellServer()
        if !sides.server.isWritable { sides.client.setReading(false) }
    }

    func serverSent(_ bytes: ByteBuffer) {
        guard let sides, let passing = take(bytes, &fromServer) else { return }
        heard()
        sides.client.writeTunnel(passing)
        tellClient()
        if !sides.client.takesResponse { sides.server.setReading(false) }
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
        if case .open(let sides) = state { sides.client.setDeadline(idleTimeout) }
    }

    // MARK: Ends

    /// Both sides are told by a Close frame, each after the frame that is under way. The server's client is gone, whatever
    /// the reason: 1001.
    func close(_ ending: Ending) {
        guard case .open(let sides) = state else { return }
        state = .closing(sides, ending, clientIsTold: false, serverIsTold: false)
        sides.client.setDeadline(Self.closingTime)
        sides.client.setReading(true)
        sides.server.setReading(true)
        tellServer()
        tellClient()
        self.sides?.client.flushTunnel()
        self.sides?.server.flush(bodyFollows: true)
    }

    private func tellClient() {
        guard case .closing(let sides, let ending, false, let serverIsTold) = state else { return }
        if !fromServer.hasClosed {
            guard fromServer.isAtBoundary else { return }
            sides.client.writeTunnel(ByteBuffer(bytes: ending.frame))
        }
        state = .closing(sides, ending, clientIsTold: true, serverIsTold: serverIsTold)
        endWhenToldBoth()
    }

    private func tellServer() {
        guard case .closing(let sides, let ending, let clientIsTold, false) = state else { return }
        if !fromClient.hasClosed {
            guard fromClient.isAtBoundary else { return }
            let mask = UInt32(truncatingIfNeeded: loop.identifiers.next())
            let frame = CloseFrame.bytes(code: CloseFrame.goingAway, reason: "", mask: mask)
            sides.server.sendTunnel(ByteBuffer(bytes: frame))
        }
        state = .closing(sides, ending, clientIsTold: clientIsTold, serverIsTold: true)
        endWhenToldBoth()
    }

    private func endWhenToldBoth() {
        if case .closing(_, _, true, true) = state { end() }
    }

    /// Nothing was heard for as long as the backend's `idle` timeout, or a closing took too long.
    func wentSilent() { end() }

    /// The client's connection is gone.
    func clientGone() { end() }

    /// The server has closed; what it sent before is on its way to the client.
    func serverGone() { end(serverIsThere: false) }

    private func end(serverIsThere: Bool = true) {
        guard let sides else { return loop.failedInternally(.request, "a tunnel ends twice") }
        state = .over
        loop.timers.retire(expiry)
        if serverIsThere { sides.server.endTunnel() }
        sides.client.tunnelEnded()
    }
}

/// A tunnel's way to its client: ``RequestExchange``.
protocol TunnelClient: AnyObject {
    /// Whether the client takes more for now.
    var takesResponse: Bool { get }

    /// - Parameter timeout: Nanoseconds from now; nil for none.
    func setDeadline(_ timeout: UInt64?)
    func setReading(_ isReading: Bool)
    func writeTunnel(_ bytes: ByteBuffer)
    func flushTunnel()

    /// The tunnel is over; its server was told.
    func tunnelEnded()
}

extension Tunnel: WheelTimerTarget {
    func deadlineMet() { close(.sessionEnded) }
}
