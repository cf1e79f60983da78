import Authorization
import HTTPCore
import Logging
import NIOCore
import Tenants
import Time
import Upstream

/// One client connection over HTTP/2: the last handler in its channel, and the only one without TLS. It feeds the
/// ``HTTP2Session``, passes events to the streams' ``HTTP2ServerStream``, and writes their output once per turn,
/// whatever the number of streams.
final class HTTP2ServerConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private static let lingerTime: UInt64 = 2_000_000_000
    /// Minimum bytes per second that a client takes of waiting responses, on average over `idle_timeout`.
    private static let leastRate: UInt64 = 1024

    let worker: Worker
    private(set) var peer: Peer
    let tokenMemory = TokenMemory()
    /// Accessed only here and by the streams; neither keeps a part of it beyond a call.
    var session: HTTP2Session
    var indexInWorker = -1
    var pressure = HTTP2BackPressure()
    private let isWithinLimit: Bool
    private var context: ChannelHandlerContext?
    private(set) var streams = HTTP2ServerStreams()
    private var isInTurn = false
    private var deadline = HTTP2ConnectionDeadline()
    private var state = State.open

    private enum State {
        case open
        /// No new requests; closed when the last one is answered.
        case draining
        /// Our side is shut or about to be, or the channel is closed: nothing is received or sent any more.
        case closing
        case closed
    }

    /// - Parameter isWithinLimit: Whether the connection is within the limit; if not, it only gets a refusal.
    init(worker: Worker, peer: Peer, isWithinLimit: Bool) {
        self.worker = worker
        self.peer = peer
        self.isWithinLimit = isWithinLimit
        session = HTTP2Session(role: .server, limits: HTTP2Limits(forClients: worker.settings.limits))
    }

    // MARK: What the channel says

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        deadline.timer.target = self
        setDeadline(worker.idleTimeout)
        session.start()
        turn()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard isLive else { return }
        session.receive(unwrapInboundIn(data))
        // A failed flush delivers unread bytes in the middle of the operation that flushed.
        if isInTurn { worker.loop.atEndOfTurn { [self] in turn() } } else { turn() }
    }

    private var isLive: Bool { state == .open || state == .draining }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        pressure.isWritable = context.channel.isWritable
        // This may come from a write of another exchange.
        worker.loop.atEndOfTurn { [self] in writabilityChanged() }
    }

    private func writabilityChanged() {
        session.writabilityChanged(pressure.isWritable)
        // Do not read more from a client that takes nothing.
        try? context?.channel.syncOptions?.setOption(.autoRead, value: pressure.isWritable)
        updateBacklog()
        // While the connection closes, the deadline belongs to the close.
        guard isLive else { return }
        guard pressure.isWritable else { return setDeadline(worker.idleTimeout) }
        deadline.awaited = .nothing
        setDeadline(nil)
        turn()
    }

    /// Often called during a write: what is under way is released after it.
    func channelInactive(context: ChannelHandlerContext) {
        if isLive { state = .closing }
        worker.loop.atEndOfTurn { [self] in gone() }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? ChannelEvent, event == .outputClosed, case .closing = state {
            setDeadline(Self.lingerTime)
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// Releases everything under way.
    private func gone() {
        if case .closed = state { return }
        state = .closed
        worker.loop.timers.retire(deadline.timer)
        worker.closed(self)
        updateBacklog()
        abandonStreams()
        retireSpare()
    }

    private func retireSpare() {
        for stream in streams.takeSpares() { stream.retire() }
    }

    private func abandonStreams() {
        for stream in streams.takeOpen().values { stream.abandon() }
    }

    // MARK: A turn

    /// Processes the received bytes and writes the output. A stream that sends requests a turn; during another turn it
    /// only has to wait.
    func turn() {
        guard !isInTurn else { return }
        isInTurn = true
        defer { isInTurn = false }
        var fields = worker.loop.spares.takeRequestFields()
        repeat {
            while isLive, let event = session.next(headers: &fields, at: worker.lastTick.nanoseconds) {
                take(event, fields)
            }
            guard isLive, session.output.readableBytes > 0, let context else { break }
            context.writeAndFlush(wrapOutboundOut(session.output), promise: nil)
            // If the write went through at once the buffer is unshared, and its memory is reused.
            session.output.clear()
        } while session.hasMoreOutput
        worker.loop.spares.giveBack(requestFields: fields)
        if !streams.ended.isEmpty {
            for stream in streams.ended {
                // A closed connection keeps no spare streams: they reference it.
                if state == .closed || !streams.keep(stream) { stream.retire() }
            }
            streams.forgetEnded()
        }
        updateBacklog()
        if state == .draining, streams.open.isEmpty, session.openStreams == 0 { return close() }
        updateDeadline()
    }

    // MARK: What the client does not take

    /// Counts what is held for the client, and pauses or resumes the servers of its streams.
    private func updateBacklog() {
        var held = 0
        var taken = session.sentLength
        if state != .closed {
            held = session.queuedLength
            // While the channel takes more, it holds little.
            if !pressure.isWritable, let context {
                let unsent = context.unsentBytes
                held += unsent
                taken = taken > UInt64(unsent) ? taken - UInt64(unsent) : 0
            }
        }
        guard held != pressure.backlog.bytes else { return }
        worker.backlogChanged(by: pressure.backlog.update(bytes: held, taken: taken, at: worker.lastTick))
        let heldServers = pressure.holdsServers
        if pressure.update(held: held, session.limits.sending) { tellStreamsLater() }
        // At once, as each of them may have more to read in this turn; a pause has no effect on the exchanges.
        if pressure.holdsServers, !heldServers {
            for stream in streams.open.values { stream.holdServer() }
        }
    }

    /// A turn may be the flush of one exchange, during which no other exchange may be touched.
    private func tellStreamsLater() {
        worker.loop.atEndOfTurn { [self] in tellStreams() }
    }

    private func tellStreams() {
        let changes = pressure.takeChanges()
        if changes.holdsServersChanged {
            let open = streams.open
            for stream in open.values {
                if pressure.holdsServers { stream.holdServer() } else { stream.releaseServer() }
            }
        }
        for id in changes.freed { streams.open[id]?.becameWritable() }
    }

    /// - Parameter fields: Of a head or of trailers.
    private func take(_ event: HTTP2Session.Event, _ fields: HeaderList) {
        switch event {
        case .headers(let id, let endStream, .initial): begin(id, fields, endStream: endStream)
        case .headers(let id, _, .trailers): streams.open[id]?.trailersReceived(fields)
        case .data(let id, let bytes, let flowControlled, let endStream):
            if let stream = streams.open[id] {
                stream.bodyReceived(bytes, flowControlled: flowControlled, endStream: endStream)
            } else {
                session.consumed(stream: id, flowControlled)
            }
        case .reset(let id, _, _): streams.open[id]?.wasReset()
        case .writable(let id): if pressure.freed(id) { tellStreamsLater() }
        case .goAway, .settings: break
        case .connectionError(let code, let reason):
            worker.loop.loggers.clients.debug(
                "HTTP/2 connection error",
                metadata: ["code": "\(code.rawValue)", "reason": "\(reason)"]
            )
            abandonStreams()
            if state == .open { state = .draining }
        }
    }

    private func begin(_ id: UInt32, _ fields: HeaderList, endStream: Bool) {
        let stream = streams.takeSpare() ?? HTTP2ServerStream(self)
        streams.begin(id, stream)
        stream.begin(id, fields, endStream: endStream, isWithinLimit: isWithinLimit)
        if !isWithinLimit { drain() }
    }

    /// The exchange is over, and its stream object free for another.
    func ended(_ stream: HTTP2ServerStream) { streams.end(stream) }

    // MARK: Time

    /// Requests under way have their own deadlines. The connection's deadline covers output that the client does not
    /// take, and header blocks that never end, during which no other frame can come. Bytes alone move no deadline: a
    /// PING would.
    private func updateDeadline() {
        guard isLive, pressure.isWritable else { return }
        var awaited = HTTP2ConnectionDeadline.Awaited.nothing
        if session.isInsideHeaders {
            awaited = .restOfHeaders
        } else if streams.open.isEmpty, session.openStreams == 0 {
            awaited = .request
        } else if session.openStreams > streams.open.count || pressure.holdsServers {
            awaited = deadline.answersTaken(sent: session.sentLength)
        }
        guard awaited != deadline.awaited else { return }
        deadline.awaited = awaited
        switch awaited {
        case .nothing: setDeadline(nil)
        case .restOfHeaders: setDeadline(worker.headerTimeout)
        case .request, .answersTaken: setDeadline(worker.idleTimeout)
        }
    }

    /// Octets of bodies that a client must take within `idle_timeout` while output waits for it.
    private var leastTaken: UInt64 { max(1, Self.leastRate * (worker.idleTimeout / 1_000_000) / 1000) }

    private func setDeadline(_ timeout: UInt64?) {
        worker.loop.timers.set(deadline.timer, timeout.map { worker.lastTick + $0 } ?? WheelTimer.never)
    }

    // MARK: The end

    /// Shuts our side when all is written, and closes a little later, so that the client can read it.
    private func close() {
        state = .closing
        setDeadline(worker.idleTimeout)
        context?.close(mode: .output, promise: nil)
    }
}

extension HTTP2ServerConnection: FrontConnection {
    var address: SubjectName? { peer.limitSubject?.name }

    var backlog: ClientBacklog { pressure.backlog }

    var countsForAddress: Bool { isWithinLimit && !peer.isTrustedProxy }

    var isIdle: Bool {
        // Part of a complete response may still wait for the client's windows.
        state == .open && streams.open.isEmpty && session.openStreams == 0 && (context?.unsentBytes ?? 0) == 0
    }

    /// Requests under way are answered; newer ones belong on another connection (RFC 9113 section 6.8).
    func drain() {
        guard case .open = state else { return }
        state = .draining
        session.goAway(code: .noError)
        let open = streams.open
        for stream in open.values { stream.exchange.drain() }
        turn()
    }

    func endRevoked(unixTime: UnixTime, at now: MonotonicTime) -> Bool {
        let open = streams.open
        var isLeft = false
        for stream in open.values where stream.exchange.endIfRevoked(unixTime: unixTime, at: now) { isLeft = true }
        turn()
        return isLeft
    }

    /// Applies to streams opened from now on.
    func trust(_ proxies: [AddressRange]) { peer = peer.trusting(proxies) }

    func closeNow() { context?.close(promise: nil) }

    func closeForBacklog() {
        // Releases what the streams hold; the rest goes with the channel.
        gone()
        context?.reset()
    }
}

extension HTTP2ServerConnection: WheelTimerTarget {
    func deadlineMet() {
        guard pressure.isWritable else { return closeNow() }
        if case .answersTaken(let sent) = deadline.awaited, isLive, session.sentLength - sent >= leastTaken {
            deadline.awaited = .answersTaken(sent: session.sentLength)
            return setDeadline(worker.idleTimeout)
        }
        switch (state, deadline.awaited) {
        case (.open, .request): drain()
        case (.open, .restOfHeaders):
            abandonStreams()
            session.goAway(code: .enhanceYourCalm)
            turn()
            close()
        case (.open, .nothing), (.open, .answersTaken), (.draining, _), (.closing, _), (.closed, _): closeNow()
        }
    }
}

extension HTTP2Limits {
    /// What clients may take.
    init(forClients limits: ConnectionLimits) {
        self.init()
        maximumHeaderListSize = limits.headerBytes
        maximumFields = limits.headers
        enablesConnect = true
    }
}
