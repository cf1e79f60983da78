import HTTPCore
import NIOCore

/// One connection to a server that speaks HTTP/1.1: the last handler in its channel, and the only one without TLS. It
/// writes the requests it is given, reads the answers, and hands them to the client's side of the exchange directly.
///
/// This file has the connection and what it sends; `+Answer` what the server sends.
final class BackendConnection: ServerExchange, ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    enum Phase {
        case idle
        case head
        case body(BodyDecoder)
        /// Protocols are switched: bytes pass as they are.
        case tunnel
        case closed
    }

    private static let lingerTime: UInt64 = 2_000_000_000

    var wasUsedBefore = false
    var phase = Phase.idle
    var input = ByteBuffer()
    var answersHead = false
    var keepsAlive = false
    /// Whether bytes came since the request was begun.
    var hasSpoken = false
    var handshake: WebSocketUpgrade?
    /// Bytes of an incomplete head that were searched for a line end already.
    var searched = 0
    private(set) var isReading = true
    private var requestIsChunked = false
    private var context: ChannelHandlerContext?
    private var unwrittenFrom = 0
    private(set) var requestIsOut = false
    private var hasUnflushed = false
    private var channelIsWritable = true
    private let timer = WheelTimer()
    /// Whether the answer has begun and the client's side lets it wait.
    var isHeld = false
    /// Set if the connection ended meanwhile: whether in a way that may end an answer.
    var lossWhileHeld: Bool?
    let pool: ServerPool
    /// Where it goes.
    let address: SocketAddress

    init(pool: ServerPool, worker: Worker, address: SocketAddress) {
        self.pool = pool
        self.address = address
        super.init(leasedFrom: pool, worker: worker)
    }

    override var isWritable: Bool { channelIsWritable }

    /// The connection stands and is the pool's from now on. Gives whether it still does.
    func connected() -> Bool {
        if case .closed = phase { return false }
        timer.target = self
        return true
    }

    // MARK: What the client's side does

    override func begin(_ client: ClientExchange, _ request: Request) {
        self.client = client
        answersHead = request.isHead
        requestIsChunked = request.framing == .chunked
        handshake = request.handshake
        phase = .head
        requestIsOut = false
        hasSpoken = false
        searched = 0
        self.request.clear()
        unwrittenFrom = 0
        // A slow client of the exchange before may have had it paused; and this one may not take an answer yet.
        setReading(client.isWritable)
        setDeadline(WheelTimer.never)
    }

    override func send(_ bytes: ByteBuffer) {
        guard requestIsChunked else { return sendPiece(bytes) }
        request.writeChunkSize(bytes.readableBytes)
        request.writeStaticString("\r\n")
        sendPiece(bytes)
        request.writeStaticString("\r\n")
    }

    private func sendPiece(_ bytes: ByteBuffer) {
        if bytes.readableBytes <= Self.coalesceLimit {
            request.writeImmutableBuffer(bytes)
            return
        }
        writeRequest()
        write(bytes)
    }

    override func endBody(trailers: ByteBuffer) {
        guard requestIsChunked else { return }
        request.writeStaticString("0\r\n")
        request.writeImmutableBuffer(trailers)
        request.writeStaticString("\r\n")
    }

    override func flush(bodyFollows: Bool) {
        writeRequest()
        if bodyFollows { forgetRequest() }
        guard hasUnflushed else { return }
        hasUnflushed = false
        context?.flush()
    }

    override func requestSent(at now: UInt64) {
        requestIsOut = true
        switch phase {
        case .head: if !isHeld, isReading { setDeadline(now &+ pool.responseTimeout) }
        case .body: if isReading { setDeadline(now &+ pool.idleTimeout) }
        case .idle, .tunnel, .closed: break
        }
    }

    override func abandon() {
        guard client != nil else { return }
        isHeld = false
        finish()
        close()
    }

    override func giveBack() {
        client = nil
        phase = .idle
        pool.release(self, at: worker.now())
    }

    override func resumeAnswer() { readHeldAnswer() }

    override func setReading(_ isReading: Bool) {
        guard isReading != self.isReading, !isHeld else { return }
        self.isReading = isReading
        try? context?.channel.syncOptions?.setOption(.autoRead, value: isReading)
        let timeout: UInt64
        switch phase {
        case .body: timeout = pool.idleTimeout
        case .head where requestIsOut: timeout = pool.responseTimeout
        case .head, .idle, .tunnel, .closed: return
        }
        setDeadline(isReading && requestIsOut ? worker.now() &+ timeout : WheelTimer.never)
    }

    override func sendTunnel(_ bytes: ByteBuffer) {
        write(bytes)
    }

    override func endTunnel() {
        guard case .tunnel = phase else { return }
        flush(bodyFollows: true)
        client = nil
        // What was written goes out first; a server that does not close then is closed on.
        setDeadline(worker.now() &+ Self.lingerTime)
        context?.close(mode: .output, promise: nil)
    }

    func becameIdle(at now: UInt64) {
        // Not read from, it would not show that the server has closed it.
        setReading(true)
        setDeadline(now &+ pool.idleTimeout)
    }

    func close() {
        context?.close(promise: nil)
    }

    /// - Parameter deadline: Monotonic nanoseconds.
    func setDeadline(_ deadline: UInt64) {
        worker.timers.set(timer, deadline)
    }

    private func writeRequest() {
        guard request.readableBytes > unwrittenFrom,
            let bytes = request.getSlice(
                at: request.readerIndex + unwrittenFrom,
                length: request.readableBytes - unwrittenFrom
            )
        else { return }
        unwrittenFrom = request.readableBytes
        write(bytes)
    }

    private func forgetRequest() {
        request.clear()
        unwrittenFrom = 0
    }

    private func write(_ bytes: ByteBuffer) {
        context?.write(wrapOutboundOut(bytes), promise: nil)
        hasUnflushed = true
    }

    // MARK: What the server does

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        if input.readableBytes > 0 {
            input.discardReadBytes()
            input.writeBuffer(&bytes)
        } else {
            input = bytes
        }
        readAnswer()
        if input.readableBytes == 0 { input = ByteBuffer() }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        client?.flushAnswer()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        channelIsWritable = context.channel.isWritable
        // A server that takes no more of a body is as silent as one that gives no answer.
        if case .head = phase, !requestIsOut {
            setDeadline(isWritable ? WheelTimer.never : worker.now() &+ pool.idleTimeout)
        }
        client?.serverWritabilityChanged(isWritable)
    }

    func channelInactive(context: ChannelHandlerContext) {
        // With part of the request unsent it was our write that failed, and not the answer that ended.
        lost(properly: requestIsOut)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        lost(properly: false)
        context.close(promise: nil)
    }

    // MARK: Ends that are none of the exchange's making

    /// The connection is over, whoever's doing it was. An answer that is delimited by the close ends here.
    func lost(properly: Bool) {
        // What came before the end is still to be passed on.
        if isHeld {
            lossWhileHeld = lossWhileHeld ?? properly
            return
        }
        switch phase {
        case .closed: return
        case .idle:
            phase = .closed
            worker.timers.retire(timer)
            pool.idleClosed(self)
        case .head, .body, .tunnel:
            var endsProperly = false
            if case .body(let decoder) = phase { endsProperly = properly && decoder.mayEndByClose }
            noteLoss(endsProperly: endsProperly)
            let client = self.client
            finish()
            client?.serverLost(self, endsProperly: endsProperly)
        }
    }

    private func noteLoss(endsProperly: Bool) {
        guard let client, !endsProperly else { return }
        if case .tunnel = phase { return }
        pool.counters.failures += 1
        guard case .head = phase else { return }
        // That a server closes a connection which it had kept idle is no sign of ill health.
        if wasUsedBefore, !hasSpoken { return pool.doubtIdle() }
        pool.failed(.reset, begunAt: client.attemptBegunAt)
    }

    func broken() {
        lost(properly: false)
        close()
    }

    func finish() {
        if case .closed = phase { return }
        phase = .closed
        client = nil
        worker.timers.retire(timer)
        pool.busyClosed(self)
    }
}

extension BackendConnection: WheelTimerTarget {
    func deadlineMet() {
        switch phase {
        case .idle, .tunnel: close()
        case .head, .body:
            let client = self.client
            let answerHadBegun = if case .body = phase { true } else { false }
            if let client, !answerHadBegun { pool.failed(.silent, begunAt: client.attemptBegunAt) }
            finish()
            pool.counters.timeouts += 1
            if answerHadBegun {
                client?.serverLost(self, endsProperly: false)
            } else {
                client?.serverTimedOut(self)
            }
            close()
        case .closed: break
        }
    }
}
