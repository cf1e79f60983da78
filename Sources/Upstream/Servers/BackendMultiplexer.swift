import HTTPCore
import Logging
import NIOCore
import Time

/// One HTTP/2 connection to a server, which carries many requests: the last handler in its channel, and the only one
/// without TLS. The counterpart of ``HTTP2ServerConnection``.
final class BackendMultiplexer: ChannelInboundHandler {
    package typealias InboundIn = ByteBuffer
    package typealias OutboundOut = ByteBuffer

    /// Requests on one connection, unless the server allows fewer. The connection's window holds that many stream
    /// windows, so that requests with slow clients do not block the others.
    fileprivate static let mostStreams = 100

    private enum State {
        case open
        /// Takes no new requests; those under way continue.
        case retired
        case closed
    }

    let pool: ServerPool
    let loop: LoopContext
    /// Accessed only here and by the streams.
    var session: HTTP2Session
    /// The address it connects to.
    let address: SocketAddress
    /// Measured by ``LoopContext/lastTick``.
    private(set) var lastHeard: MonotonicTime
    /// Whether no request was ever begun on it.
    private(set) var isUntried = true
    private var context: ChannelHandlerContext?
    private var state = State.open
    private var streams = LeasedStreams()
    private var isInTurn = false
    /// Whether the channel is being written to. It may close during that, and delivers unread bytes first.
    private var isWriting = false
    /// Bytes that were read in the middle of a write.
    private var late: [ByteBuffer] = []
    private let timer = WheelTimer()

    init(pool: ServerPool, loop: LoopContext, address: SocketAddress) {
        self.pool = pool
        self.loop = loop
        self.address = address
        lastHeard = loop.lastTick
        session = HTTP2Session(role: .client, limits: HTTP2Limits.forServers)
    }

    /// The connection is established and belongs to the pool from now on. Returns whether it is still open.
    func connected() -> Bool {
        guard case .open = state else { return false }
        timer.target = self
        updateDeadline()
        return true
    }

    // MARK: Streams

    /// Leases a stream for a request, if one is free.
    func openStream() -> BackendStream? {
        guard case .open = state, streams.count < Self.mostStreams, session.availableStreams > streams.pending else {
            return nil
        }
        streams.lease()
        updateDeadline()
        return BackendStream(self)
    }

    /// Whether leased streams may still begin a request on it.
    var takesRequests: Bool {
        if case .open = state { true } else { false }
    }

    /// The request of a leased stream begins. Nil if no stream is free after all.
    func begin(_ stream: BackendStream) -> UInt32? {
        if case .closed = state { return nil }
        guard let id = session.openStream() else { return nil }
        isUntried = false
        streams.begin(stream, id)
        return id
    }

    func forEachOwner(_ body: (any UpstreamRequestOwner) -> Void) { streams.forEachOwner(body) }

    /// - Parameter id: Nil for a stream that was not begun.
    func ended(_ id: UInt32?) {
        if !streams.end(id) { loop.failedInternally(.backendStream, "a stream ends that was not leased") }
        updateDeadline()
        switch state {
        case .open: pool.streamAvailable(self)
        case .retired, .closed: if streams.isEmpty { context?.close(promise: nil) }
        }
    }

    /// As ``drain()``, but while another request is being handed to a server: no more requests from now on. The rest,
    /// which may reveal that the connection is lost and so end requests of others, happens at the end of the turn.
    func drainLater() {
        retire()
        loop.atEndOfTurn { [self] in drain() }
    }

    /// No new requests; closes when the last one is answered.
    func drain() {
        retire()
        session.goAway(code: .noError)
        turn()
        if streams.isEmpty { context?.close(promise: nil) }
    }

    private func retire() {
        guard case .open = state else { return }
        state = .retired
        pool.retires(self)
    }

    private func updateDeadline() {
        loop.timers.set(timer, streams.isEmpty ? loop.lastTick + pool.idleTimeout : WheelTimer.never)
    }

    // MARK: What the channel says

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        session.start()
        turn()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        lastHeard = loop.lastTick
        let bytes = unwrapInboundIn(data)
        // In the middle of a write, which may be that of any exchange.
        guard !isWriting, late.isEmpty else {
            late.append(bytes)
            if late.count == 1 { loop.atEndOfTurn { [self] in readLate() } }
            return
        }
        session.receive(bytes)
        turn()
    }

    private func readLate() {
        for bytes in late { session.receive(bytes) }
        late = []
        turn()
        flushResponses()
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if !isWriting { flushResponses() }
    }

    private func flushResponses() {
        for stream in streams.takeTouched() {
            stream.request?.owner?.flushResponse()
            stream.giveBackWindow()
        }
        turn()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        let isWritable = context.channel.isWritable
        // This may come from a write of any exchange.
        loop.atEndOfTurn { [self] in
            session.writabilityChanged(isWritable)
            if isWritable { turn() }
        }
    }

    /// Often called during a write: it takes no further request, and the present ones are notified after the write.
    func channelInactive(context: ChannelHandlerContext) {
        retire()
        loop.atEndOfTurn { [self] in lost() }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        retire()
        loop.atEndOfTurn { [self] in lost() }
        context.close(promise: nil)
    }

    private func lost() {
        if case .closed = state { return }
        loop.timers.retire(timer)
        retire()
        state = .closed
        for stream in streams.takeAll().values { stream.lost() }
    }

    // MARK: A turn

    /// As for ``HTTP2ServerConnection/turn()``.
    func turn() {
        guard !isInTurn else { return }
        isInTurn = true
        defer { isInTurn = false }
        var fields = loop.spares.takeResponseFields()
        repeat {
            while let event = session.next(headers: &fields, at: loop.lastTick.nanoseconds) { take(event, fields) }
            guard session.output.readableBytes > 0, let context else { break }
            isWriting = true
            context.writeAndFlush(wrapOutboundOut(session.output), promise: nil)
            isWriting = false
            session.output.clear()
        } while session.hasMoreOutput
        loop.spares.giveBack(responseFields: fields)
        if case .closed = state { context?.close(promise: nil) }
    }

    /// - Parameter fields: Of a head or of trailers.
    private func take(_ event: HTTP2Session.Event, _ fields: HeaderList) {
        switch event {
        case .headers(let id, let endStream, .initial):
            with(id) { $0.headReceived(fields, endStream: endStream) }
        case .headers(let id, _, .trailers):
            with(id) { $0.trailersReceived(fields) }
        case .data(let id, let bytes, let flowControlled, let endStream):
            if streams[id] == nil { session.consumed(stream: id, flowControlled) }
            with(id) { $0.bodyReceived(bytes, flowControlled: flowControlled, endStream: endStream) }
        case .reset(let id, let code, _):
            streams.take(id)?.lost(wasActedOn: code != .refusedStream)
        // This may come from a send of another exchange.
        case .writable(let id): loop.atEndOfTurn { [self] in streams[id]?.becameWritable() }
        case .settings:
            if case .open = state { pool.streamAvailable(self) }
        case .goAway: retire()
        case .connectionError(let code, let reason):
            loop.loggers.backends.debug(
                "HTTP/2 error of a server",
                metadata: ["server": "\(pool.label)", "code": "\(code.rawValue)", "reason": "\(reason)"]
            )
            lost()
        }
    }

    private func with(_ id: UInt32, _ body: (BackendStream) -> Void) {
        guard let stream = streams[id] else { return }
        body(stream)
        if stream.request != nil { streams.touch(stream) }
    }
}

extension BackendMultiplexer: WheelTimerTarget {
    func deadlineMet() {
        if streams.isEmpty { drain() }
    }
}

extension HTTP2Limits {
    /// Limits for responses: heads may be larger than those of requests, as over HTTP/1.1.
    static let forServers: HTTP2Limits = {
        var limits = HTTP2Limits()
        limits.maximumHeaderListSize = ResponseHeadParser.maximumBytes
        limits.maximumFields = ResponseHeadParser.maximumFields
        // Widened for each stream as soon as it begins, within the client connection's share.
        limits.streamWindow = ReceiveWindows.least
        limits.connectionWindow = (BackendMultiplexer.mostStreams + 1) * ReceiveWindows.most
        return limits
    }()
}
