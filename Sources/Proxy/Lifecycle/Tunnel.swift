import Authorization
import HTTPCore
import NIOCore
import Time
import Upstream

/// A WebSocket between a client and a server. Bytes pass unchanged; the gateway tracks only frame boundaries, so that
/// it can end the connection with a Close frame when the caller is no longer allowed to use it.
final class Tunnel {
    private struct Sides {
        let client: any TunnelClient
        let server: any UpstreamServer
    }

    /// Why the gateway ends a tunnel; becomes the Close frame's code and reason (RFC 6455 section 7.4.1).
    enum Ending {
        /// The token has expired, or the caller is no longer allowed for another reason.
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
        /// Each direction passes its bytes up to the end of the current frame, and then gets a Close frame.
        case closing(Sides, Ending, clientGotClose: Bool, serverGotClose: Bool)
        case over
    }

    /// Nanoseconds for the frames that were under way when the end was decided.
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

    /// The tunnel is open.
    ///
    /// - Parameter expiry: When the caller's token expires; nil for never.
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

    /// The part of the received bytes that may pass: all of them, until the end was decided.
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

    /// Both directions count as activity: a server that only pushes is not silent, nor is a client that only sends.
    private func heard() {
        if case .open(let sides) = state { sides.client.setDeadline(idleTimeout) }
    }

    // MARK: Ends

    /// Sends both sides a Close frame, each after its current frame. The server always gets 1001: its client is going
    /// away.
    func close(_ ending: Ending) {
        guard case .open(let sides) = state else { return }
        state = .closing(sides, ending, clientGotClose: false, serverGotClose: false)
        sides.client.setDeadline(Self.closingTime)
        sides.client.setReading(true)
        sides.server.setReading(true)
        tellServer()
        tellClient()
        self.sides?.client.flushTunnel()
        self.sides?.server.flush(bodyFollows: true)
    }

    private func tellClient() {
        guard case .closing(let sides, let ending, false, let serverGotClose) = state else { return }
        if !fromServer.hasClosed {
            guard fromServer.isAtBoundary else { return }
            sides.client.writeTunnel(ByteBuffer(bytes: ending.frame))
        }
        state = .closing(sides, ending, clientGotClose: true, serverGotClose: serverGotClose)
        endWhenBothGotClose()
    }

    private func tellServer() {
        guard case .closing(let sides, let ending, let clientGotClose, false) = state else { return }
        if !fromClient.hasClosed {
            guard fromClient.isAtBoundary else { return }
            let mask = UInt32(truncatingIfNeeded: loop.identifiers.next())
            let frame = CloseFrame.bytes(code: CloseFrame.goingAway, reason: "", mask: mask)
            sides.server.sendTunnel(ByteBuffer(bytes: frame))
        }
        state = .closing(sides, ending, clientGotClose: clientGotClose, serverGotClose: true)
        endWhenBothGotClose()
    }

    private func endWhenBothGotClose() {
        if case .closing(_, _, true, true) = state { end() }
    }

    /// Nothing was received for the backend's `idle` timeout, or closing took too long.
    func wentSilent() { end() }

    /// The client's connection is gone.
    func clientGone() { end() }

    /// The server has closed; its last bytes are on their way to the client.
    func serverGone() { end(serverIsThere: false) }

    private func end(serverIsThere: Bool = true) {
        guard let sides else { return loop.failedInternally(.request, "a tunnel ends twice") }
        state = .over
        loop.timers.retire(expiry)
        if serverIsThere { sides.server.endTunnel() }
        sides.client.tunnelEnded()
    }
}

/// A tunnel's client: ``RequestExchange``.
protocol TunnelClient: AnyObject {
    /// Whether the client currently takes more.
    var takesResponse: Bool { get }

    /// - Parameter timeout: Nanoseconds from now; nil for none.
    func setDeadline(_ timeout: UInt64?)
    func setReading(_ isReading: Bool)
    func writeTunnel(_ bytes: ByteBuffer)
    func flushTunnel()

    /// The tunnel is over, and its server was notified.
    func tunnelEnded()
}

extension Tunnel: WheelTimerTarget {
    func deadlineMet() { close(.sessionEnded) }
}
