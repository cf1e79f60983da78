import Authorization
import Epoll
import HTTPCore
import NIOCore
import Time

/// One connection to an HTTP/1.1 server: the last handler in its channel, and the only one without TLS. It writes
/// requests, reads the responses, and passes them to the ``UpstreamRequest`` directly.
///
/// This file has the connection and its output; `+Response` the server's output.
final class BackendConnection: ChannelInboundHandler, DirectHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private static let lingerTime: UInt64 = 2_000_000_000

    let loop: LoopContext
    let pool: ServerPool
    /// The address it connects to.
    let address: SocketAddress
    var state = BackendConnectionState()
    var input = HTTP1Input()
    private(set) var output: BackendOutput
    /// Whether the channel is being flushed. It may close during that, and delivers unread bytes first.
    private var isFlushing = false
    private var context: ChannelHandlerContext?
    private var channelOutput = ChannelOutput()
    private let timer = WheelTimer()

    init(pool: ServerPool, loop: LoopContext, address: SocketAddress) {
        self.pool = pool
        self.loop = loop
        self.address = address
        output = BackendOutput(loop.allocator.buffer(capacity: 2048))
    }

    /// The request that holds the lease; nil if none does.
    var request: UpstreamRequest? { state.request }

    /// The connection is established and belongs to the pool from now on. Returns whether it is still open.
    func connected() -> Bool {
        guard state.connected() else { return false }
        timer.target = self
        return true
    }

    func becameIdle(at now: MonotonicTime) {
        guard state.becameIdle() else { return failInternally("a connection in use becomes idle") }
        // Keep reading: otherwise a close by the server would go unnoticed.
        setReading(true)
        setDeadline(now + pool.idleTimeout)
    }

    /// The pool has promised it to a waiting request.
    func becameLeased() {
        if !state.becameLeased() { failInternally("a connection is promised that is not idle") }
    }

    /// It takes no request from now on. A channel with TLS reports the close only when the server has agreed, or after
    /// seconds, and delivers bytes until then.
    func close() {
        if state.channelEnded() { lost(properly: false) }
        context?.close(promise: nil)
    }

    func setDeadline(_ deadline: MonotonicTime) { loop.timers.set(timer, deadline) }

    // MARK: What the channel says

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        channelOutput.handlerRemoved()
    }

    /// Called when this is the only handler in `channel`: from now on bytes bypass the pipeline.
    func serveAlone(_ channel: any Channel) {
        if context != nil { channelOutput.bypassPipeline(of: channel, for: self) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { received(unwrapInboundIn(data)) }

    func received(_ bytes: ByteBuffer) {
        input.append(bytes)
        // In the middle of sending a request, perhaps on a closing channel: wait until it is known whether the
        // connection can take another.
        guard !isFlushing else { return loop.atEndOfTurn { [self] in readLate() } }
        readResponse()
        input.dropIfEmpty()
    }

    private func readLate() {
        readResponse()
        input.dropIfEmpty()
        request?.owner?.flushResponse()
    }

    func channelReadComplete(context: ChannelHandlerContext) { receivedAll() }

    func receivedAll() {
        if !isFlushing { request?.owner?.flushResponse() }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        let isWritable = context.channel.isWritable
        output.isWritable = isWritable
        // A server that takes no more of a body is as silent as one that does not respond.
        if case .awaitingHead = state.phase, !output.isComplete {
            setDeadline(isWritable ? WheelTimer.never : loop.now() + pool.idleTimeout)
        }
        guard let request else { return }
        let number = request.number
        // This may come from a write of another exchange.
        loop.atEndOfTurn { [self] in
            guard self.request === request, request.number == number else { return }
            request.owner?.serverWritabilityChanged(output.isWritable)
        }
    }

    /// Often called during a write: the lease ends at once, and the request is notified after the write.
    func channelInactive(context: ChannelHandlerContext) {
        // With part of the request unsent our write failed; the response did not end.
        ended(properly: output.isComplete)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        ended(properly: false)
        context.close(promise: nil)
    }

    private func ended(properly: Bool) {
        if state.channelEnded() { return lost(properly: properly) }
        loop.atEndOfTurn { [self] in lost(properly: properly) }
    }

    // MARK: Ends that the exchange did not ask for

    /// The connection is over, whichever side ended it. A body delimited by the close may be complete.
    func lost(properly: Bool) {
        switch state.lost(properly: properly) {
        case .nothing: break
        case .leaveIdle:
            loop.timers.retire(timer)
            pool.idleClosed(self)
        case .leave: leave()
        case .endTunnel(let request):
            leave()
            request.serverLost(self, endsProperly: false)
        case .endBeforeHead(let request, let isStale):
            pool.counters.failures += 1
            if isStale { pool.doubtIdle() } else { pool.failed(.reset, begunAt: request.attemptBegunAt) }
            leave()
            request.serverLost(self, endsProperly: false)
        case .endBody(let request):
            let endsProperly = properly && input.decoder.mayEndByClose
            if !endsProperly { pool.counters.failures += 1 }
            leave()
            request.serverLost(self, endsProperly: endsProperly)
        }
    }

    /// The server has sent something that is no response.
    func broken() {
        lost(properly: false)
        close()
    }

    /// Something impossible happened. It costs the connection and its request.
    func failInternally(_ what: StaticString) {
        let request = request
        finish()
        close()
        loop.failedInternally(.backendConnection, what)
        if let request { lostLater(request) }
    }

    private func lostLater(_ request: UpstreamRequest) {
        let number = request.number
        loop.atEndOfTurn { [self] in
            if request.number == number { request.serverLost(self, endsProperly: false) }
        }
    }

    /// Its request is over, and it gets no other.
    func finish() {
        if state.finished() { leave() }
    }

    private func leave() {
        loop.timers.retire(timer)
        pool.busyClosed(self)
    }
}

extension BackendConnection: UpstreamServer {
    var isWritable: Bool { output.isWritable }

    var canBegin: Bool { state.canBegin }

    var isUntried: Bool { state.isUntried }

    func takeBuffer() -> ByteBuffer { output.takeBuffer() }

    func begin(_ request: UpstreamRequest, _ head: ForwardedHead) {
        output.begin(head, isChunked: request.details.framing == .chunked)
        guard state.begin(request) else {
            failInternally("a request begins on a connection that is not free")
            return lostLater(request)
        }
        input.searched = 0
        // A slow client of the previous exchange may have paused reading; and this one may not take a response yet.
        setReading(request.owner?.takesResponse ?? true)
        setDeadline(WheelTimer.never)
    }

    func takeHead() -> ForwardedHead { output.takeHead() }

    func send(_ bytes: ByteBuffer) {
        guard output.isChunked else { return sendPiece(bytes) }
        output.buffer.writeChunkSize(bytes.readableBytes)
        output.buffer.writeStaticString("\r\n")
        sendPiece(bytes)
        output.buffer.writeStaticString("\r\n")
    }

    private func sendPiece(_ bytes: ByteBuffer) {
        if bytes.readableBytes <= PieceLimits.coalesced {
            output.buffer.writeImmutableBuffer(bytes)
            return
        }
        writeOutput()
        write(bytes)
    }

    func endBody(trailers: ByteBuffer) {
        guard output.isChunked else { return }
        output.buffer.writeStaticString("0\r\n")
        output.buffer.writeImmutableBuffer(trailers)
        output.buffer.writeStaticString("\r\n")
    }

    func flush(bodyFollows: Bool) {
        let last = output.takeUnwritten()
        if bodyFollows { output.forget() }
        guard output.hasUnflushed || last != nil else { return }
        output.hasUnflushed = false
        isFlushing = true
        channelOutput.flush(after: last, context)
        isFlushing = false
    }

    private func writeOutput() {
        if let bytes = output.takeUnwritten() { write(bytes) }
    }

    private func write(_ bytes: ByteBuffer) {
        channelOutput.write(bytes, context)
        output.hasUnflushed = true
    }

    private var responseTimeout: UInt64 { request?.responseTimeout(at: pool) ?? pool.responseTimeout }

    func requestSent(at now: MonotonicTime) {
        output.isComplete = true
        guard input.isReading else { return }
        switch state.phase {
        case .awaitingHead: setDeadline(now + responseTimeout)
        case .readingBody: setDeadline(now + pool.idleTimeout)
        case .opening, .idle, .leased, .holding, .tunnel, .ending, .closed: break
        }
    }

    func abandon() {
        guard request != nil else { return }
        finish()
        close()
    }

    func giveBack() {
        switch state.phase {
        case .leased where !state.isChannelClosed: pool.release(self, at: loop.now())
        case .leased, .closed: finish()
        case .opening, .idle, .awaitingHead, .holding, .readingBody, .tunnel, .ending:
            failInternally("a connection is given back that was not leased")
        }
    }

    func setReading(_ isReading: Bool) {
        if case .holding = state.phase { return }
        setChannelReading(isReading)
    }

    /// Pauses or resumes reading, whether a response is held or not.
    func setChannelReading(_ isReading: Bool) {
        guard isReading != input.isReading else { return }
        input.isReading = isReading
        try? context?.channel.syncOptions?.setOption(.autoRead, value: isReading)
        let timeout: UInt64
        switch state.phase {
        case .readingBody: timeout = pool.idleTimeout
        case .awaitingHead where output.isComplete: timeout = responseTimeout
        case .opening, .awaitingHead, .holding, .idle, .leased, .tunnel, .ending, .closed: return
        }
        setDeadline(isReading && output.isComplete ? loop.now() + timeout : WheelTimer.never)
    }

    func resumeResponse() { readHeldResponse() }

    func sendTunnel(_ bytes: ByteBuffer) { write(bytes) }

    func endTunnel() {
        guard case .tunnel = state.phase else { return }
        flush(bodyFollows: true)
        guard state.tunnelEnded() else { return }
        // Written bytes go out first; then the connection is closed even if the server does not close.
        setDeadline(loop.now() + Self.lingerTime)
        context?.close(mode: .output, promise: nil)
    }
}

extension BackendConnection: WheelTimerTarget {
    func deadlineMet() {
        switch state.deadlineMet() {
        case .nothing: break
        case .close: close()
        case .timeOut(let request):
            pool.failed(.silent, begunAt: request.attemptBegunAt)
            leave()
            pool.counters.timeouts += 1
            request.serverTimedOut(self)
            close()
        case .breakOff(let request):
            leave()
            pool.counters.timeouts += 1
            request.serverLost(self, endsProperly: false)
            close()
        }
    }
}
