import Authorization
import Epoll
import HTTPCore
import NIOCore
import Tenants
import Time
import Upstream

/// One client connection over HTTP/1.1: the last handler in its channel, and on a connection without TLS the only one.
/// It reads requests one after the other, passes each to its ``RequestExchange``, and writes what the exchange sends.
///
/// This file handles the events of the channel and the timer, `+Request` the input, and `+Response` the output.
final class HTTP1ServerConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    enum State {
        /// Requests are read, and answered one after the other.
        case open
        /// The response has been sent; the rest of its request's body is read and dropped.
        case droppingBody(allowance: Int)
        /// The last response is being sent; then the gateway's side of the connection is shut down.
        case closing
        /// The gateway's side is shut down. The client gets time to read the response: closing at once would reset the
        /// connection if the client has sent bytes that were not read (RFC 9112 section 9.6).
        case lingering
        case closed
    }

    /// Nanoseconds.
    private static let lingerTime: UInt64 = 2_000_000_000

    let worker: Worker
    private(set) var peer: Peer
    let tokenMemory = TokenMemory()
    let exchange: RequestExchange
    var state = State.open
    var input = HTTP1Input()
    var output = HTTP1Output()
    /// The connection's index in the worker's list; -1 when it is in none.
    var indexInWorker = -1
    var backlog = ClientBacklog()
    var context: ChannelHandlerContext?
    private(set) var channelOutput = ChannelOutput()
    private let isWithinLimit: Bool
    private let timer = WheelTimer()

    /// - Parameter isWithinLimit: Whether the connection is within the limit; if not, it only gets a refusal.
    init(worker: Worker, peer: Peer, isWithinLimit: Bool) {
        self.worker = worker
        self.peer = peer
        self.isWithinLimit = isWithinLimit
        exchange = RequestExchange(worker: worker)
    }

    /// Whether the exchange is handling a request.
    var isInExchange: Bool { exchange.lifecycle.isUnderWay }

    // MARK: Channel events

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        output.isWritable = context.channel.isWritable
        timer.target = self
        setDeadline(worker.now() + worker.idleTimeout)
        if !isWithinLimit { exchange.refuseUnread(.tooManyConnections, version: .http11, for: self) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        channelOutput.handlerRemoved()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { received(unwrapInboundIn(data)) }

    func channelReadComplete(context: ChannelHandlerContext) { receivedAll() }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        output.isWritable = context.channel.isWritable
        updateBacklog()
        // Deferred: this may be called in the middle of another exchange's write.
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

    /// Often called in the middle of a write, so the exchange and the buffers are released at the end of the turn.
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
        worker.connections.http1Output.release(self)
        worker.closed(self)
        updateBacklog()
        input.clear()
    }

    /// Bytes in the channel's buffer count as backlog only while the channel is not writable.
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

    /// Shuts down the gateway's side when everything is written, and closes the connection after ``lingerTime``.
    func lingerAndClose() {
        if case .closed = state { return }
        state = .closing
        input.clear()
        setReading(true)
        setDeadline(worker.now() + worker.idleTimeout)
        context?.close(mode: .output, promise: nil)
    }

    /// Resets the connection, so that the client does not take a part of a response for the whole.
    func reset() {
        output.isReset = true
        context?.reset()
    }
}

extension HTTP1ServerConnection: DirectHandler {
    /// Called when this is the only handler in `channel`: from now on bytes bypass the pipeline.
    func serveAlone(_ channel: any Channel) {
        if context != nil { channelOutput.bypassPipeline(of: channel, for: self) }
    }

    func received(_ bytes: ByteBuffer) {
        input.append(bytes)
        // A flush that fails can deliver unread bytes in the middle of the operation that flushed.
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

    var countsForAddress: Bool { isWithinLimit && !peer.isTrustedProxy }

    var isIdle: Bool {
        guard case .open = state, !isInExchange else { return false }
        return (context?.unsentBytes ?? 0) == 0
    }

    func trust(_ proxies: [AddressRange]) { peer = peer.trusting(proxies) }

    /// The gateway is shutting down: closes an idle connection and ends a tunnel, which might otherwise stay open for
    /// ever. A request is finished first.
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
