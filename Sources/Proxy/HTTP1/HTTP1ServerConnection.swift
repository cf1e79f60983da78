import Authorization
import Epoll
import HTTPCore
import NIOCore
import Tenants
import Time
import Upstream

/// One client connection over HTTP/1.1: the last handler in its channel, and the only one without TLS. It reads
/// requests one after the other, passes each to its ``RequestExchange``, and writes what the exchange sends.
///
/// This file has the events of channel and clock; `+Request` the input; `+Response` the output.
final class HTTP1ServerConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    enum State {
        /// Requests are read, and answered one after the other.
        case open
        /// The response is out; the rest of its request's body is read and dropped.
        case droppingBody(allowance: Int)
        /// The last response is on its way out; then our side is shut.
        case closing
        /// Our side is shut. The client gets time to read the response before its connection is torn down; unread
        /// client bytes would otherwise cause a reset at once (RFC 9112 section 9.6).
        case lingering
        case closed
    }

    private static let lingerTime: UInt64 = 2_000_000_000

    let worker: Worker
    private(set) var peer: Peer
    let tokenMemory = TokenMemory()
    let exchange: RequestExchange
    var state = State.open
    var input = HTTP1Input()
    var output = HTTP1Output()
    /// Its index in the worker's list.
    var placeInWorker = -1
    var backlog = ClientBacklog()
    var context: ChannelHandlerContext?
    /// Its channel, if bytes take the direct way.
    private(set) var socket: EpollChannel?
    private let isWelcome: Bool
    private let timer = WheelTimer()

    /// - Parameter isWelcome: Whether the connection is within the limit; if not, it only gets a refusal.
    init(worker: Worker, peer: Peer, isWelcome: Bool) {
        self.worker = worker
        self.peer = peer
        self.isWelcome = isWelcome
        exchange = RequestExchange(worker: worker)
    }

    /// Whether a request is with its exchange.
    var isInExchange: Bool { exchange.lifecycle.isUnderWay }

    // MARK: What the channel says

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        output.isWritable = context.channel.isWritable
        timer.target = self
        setDeadline(worker.now() + worker.idleTimeout)
        if !isWelcome { exchange.refuseUnread(.tooManyConnections, version: .http11, for: self) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        socket = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { received(unwrapInboundIn(data)) }

    func channelReadComplete(context: ChannelHandlerContext) { receivedAll() }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        output.isWritable = context.channel.isWritable
        updateBacklog()
        // This may come from a write of another exchange.
        worker.loop.atEndOfTurn { [self] in writabilityChanged() }
    }

    private func writabilityChanged() {
        switch state {
        case .lingering, .closed: return
        case .droppingBody, .closing: return setDeadline(worker.now() + worker.idleTimeout)
        case .open: break
        }
        if isInExchange { return exchange.clientWritabilityChanged(isWritable) }
        let isInsideHead = isWritable && input.count > 0
        setDeadline(worker.now() + (isInsideHead ? worker.headerTimeout : worker.idleTimeout))
        guard isWritable else { return }
        setReading(true)
        resume()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? ChannelEvent, event == .outputClosed, case .closing = state {
            state = .lingering
            setDeadline(worker.now() + Self.lingerTime)
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// Often called during a write: what is under way is released after it.
    func channelInactive(context: ChannelHandlerContext) {
        input.isClosed = true
        worker.loop.atEndOfTurn { [self] in gone() }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    /// The connection is over: releases everything under way for it.
    private func gone() {
        if case .closed = state { return }
        state = .closed
        worker.loop.timers.retire(timer)
        if isInExchange { exchange.clientGone() }
        exchange.detach()
        worker.connections.http1Output.letGo(self)
        worker.closed(self)
        updateBacklog()
        input.clear()
    }

    /// The channel's own buffer counts once it reports that it is full.
    func updateBacklog() {
        var unsent = 0
        if !output.isWritable, !output.isReset, let context {
            if case .closed = state {} else { unsent = context.unsentBytes }
        }
        guard unsent != backlog.bytes else { return }
        let taken = output.written > UInt64(unsent) ? output.written - UInt64(unsent) : 0
        worker.backlogChanged(by: backlog.update(bytes: unsent, taken: taken, at: worker.lastTick))
    }

    // MARK: The connection's end

    /// Shuts our side when all is written, and the connection a little later.
    func lingerAndClose() {
        if case .closed = state { return }
        state = .closing
        input.clear()
        setReading(true)
        setDeadline(worker.now() + worker.idleTimeout)
        context?.close(mode: .output, promise: nil)
    }

    /// Resets, so that the client does not mistake what it has for the whole.
    func reset() {
        output.isReset = true
        context?.reset()
    }
}

extension HTTP1ServerConnection: DirectHandler {
    /// It is the only handler in `channel`: bytes take the direct way from now on.
    func serveAlone(_ channel: any Channel) {
        guard let channel = channel as? EpollChannel, context != nil else { return }
        socket = channel
        channel.deliver(to: self)
    }

    func received(_ bytes: ByteBuffer) {
        input.append(bytes)
        // A failed flush delivers unread bytes in the middle of the operation that flushed.
        if !output.isFlushing { resume() }
    }

    func receivedAll() {
        if !output.isFlushing { exchange.flushTunnelToServer() }
    }
}

extension HTTP1ServerConnection: WheelTimerTarget {
    func setDeadline(_ deadline: MonotonicTime) { worker.loop.timers.set(timer, deadline) }

    func deadlineMet() {
        switch state {
        case .open where isInExchange: exchange.deadlineMet()
        case .open where input.count > 0 && isWritable:
            exchange.refuseUnread(.headTimeout, version: .http11, for: self)
        case .open, .droppingBody, .lingering: context?.close(promise: nil)
        case .closing: reset()
        case .closed: break
        }
    }
}

extension HTTP1ServerConnection: FrontConnection {
    var address: SubjectName? { peer.limitSubject?.name }

    var takesRoom: Bool { isWelcome && !peer.isTrustedProxy }

    var isIdle: Bool {
        guard case .open = state, !isInExchange else { return false }
        return (context?.unsentBytes ?? 0) == 0
    }

    func trust(_ proxies: [AddressRange]) { peer = peer.trusting(proxies) }

    /// The gateway is shutting down: an idle connection has no reason to stay, and a tunnel has no other end.
    func drain() {
        guard case .open = state else { return }
        if isInExchange { exchange.drain() } else if input.count == 0 { lingerAndClose() }
    }

    func closeForBacklog() {
        output.isReset = true
        updateBacklog()
        context?.reset()
    }

    func endRevoked(unixTime: UnixTime, at now: MonotonicTime) -> Bool {
        exchange.endIfRevoked(unixTime: unixTime, at: now)
    }
}
