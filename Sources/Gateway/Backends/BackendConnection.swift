import NIOCore

/// One connection to a server: the only handler in its channel. It writes the requests it is given, reads the answers,
/// and hands both to the client connection of the exchange directly; both live on one event loop.
final class BackendConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Phase {
        case idle
        case head
        case body(BodyDecoder)
        case closed
    }

    /// Bodies up to this size are copied behind the head, so that both leave in one write; larger ones go as they are.
    static let coalesceLimit = 12 << 10

    let pool: ServerPool
    let worker: Worker
    /// The head, and small body pieces, that are not written yet. Its own, not the loop's: it is kept until the answer
    /// begins, in case the request has to be made again.
    var request: ByteBuffer
    private(set) var wasUsedBefore = false
    private var context: ChannelHandlerContext?
    /// Until the exchange is over, whichever way.
    private var client: ClientConnection?
    private var phase = Phase.idle
    private var input = ByteBuffer()
    private var answersHead = false
    private var keepsAlive = false
    private var unwrittenFrom = 0
    private var requestIsOut = false
    /// Bytes of an incomplete head that were searched for a line end already.
    private var searched = 0
    private var isReading = true
    private var hasUnflushed = false
    private(set) var isWritable = true
    private let timer = WheelTimer()

    init(pool: ServerPool, worker: Worker) {
        self.pool = pool
        self.worker = worker
        request = worker.allocator.buffer(capacity: 2048)
    }

    /// The connection stands and is the pool's from now on. Gives whether it still does.
    func connected() -> Bool {
        if case .closed = phase { return false }
        timer.target = self
        return true
    }

    // MARK: What the client connection does

    /// Takes the connection for an exchange. The head is written to ``request`` next.
    func begin(_ client: ClientConnection, answersHead: Bool) {
        self.client = client
        self.answersHead = answersHead
        phase = .head
        requestIsOut = false
        searched = 0
        request.clear()
        unwrittenFrom = 0
        // A slow client of the exchange before may have had it paused.
        setReading(true)
        worker.timers.set(timer, WheelTimer.never)
    }

    /// Sends a piece of the body.
    func send(_ bytes: ByteBuffer) {
        if bytes.readableBytes <= Self.coalesceLimit {
            request.writeImmutableBuffer(bytes)
            return
        }
        writeRequest()
        write(bytes)
    }

    /// Sends what has been gathered. Bytes of a body are not kept once they are out.
    func flush(bodyFollows: Bool) {
        writeRequest()
        if bodyFollows { forgetRequest() }
        guard hasUnflushed else { return }
        hasUnflushed = false
        context?.flush()
    }

    /// The request is out: the server has its response timeout to begin an answer.
    func requestSent(at now: UInt64) {
        guard case .head = phase else { return }
        requestIsOut = true
        worker.timers.set(timer, now &+ pool.responseTimeout)
    }

    /// The client is gone or had its last answer: this connection is in the middle of something nobody wants.
    func abandon() {
        guard client != nil else { return }
        finish()
        close()
    }

    /// Pauses or resumes reading of the answer. A server that we do not read from is not late.
    func setReading(_ isReading: Bool) {
        guard isReading != self.isReading else { return }
        self.isReading = isReading
        try? context?.channel.syncOptions?.setOption(.autoRead, value: isReading)
        if case .body = phase {
            worker.timers.set(timer, isReading ? worker.now() &+ pool.idleTimeout : WheelTimer.never)
        }
    }

    func becameIdle(at now: UInt64) {
        // Not read from, it would not show that the server has closed it.
        setReading(true)
        worker.timers.set(timer, now &+ pool.idleTimeout)
    }

    func close() {
        context?.close(promise: nil)
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
        isWritable = context.channel.isWritable
        // A server that takes no more of a body is as silent as one that gives no answer.
        if case .head = phase, !requestIsOut {
            worker.timers.set(timer, isWritable ? WheelTimer.never : worker.now() &+ pool.idleTimeout)
        }
        client?.serverWritabilityChanged(isWritable)
    }

    func channelInactive(context: ChannelHandlerContext) {
        lost(properly: true)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        lost(properly: false)
        context.close(promise: nil)
    }

    private func readAnswer() {
        while true {
            switch phase {
            case .closed: return
            case .idle:
                // Bytes that nobody asked for would be taken for the answer to the next request.
                if input.readableBytes > 0 { close() }
                return
            case .head:
                guard input.readableBytes > 0, readHead() else { return }
            case .body:
                guard readBody() else { return }
            }
        }
    }

    /// Gives whether there is more to do with what has been read.
    private func readHead() -> Bool {
        let bytes = input
        let count = bytes.readableBytes
        if searched > 0, count < ResponseHeadParser.maximumBytes,
            bytes.readableBytesUInt8Span.nextLineFeed(from: searched) == nil
        {
            searched = count
            return false
        }
        let head = worker.responseHead
        switch worker.responseParser.parse(bytes.readableBytesUInt8Span, into: head) {
        case .incomplete:
            searched = count
            client?.serverSpoke()
            return false
        case .garbled:
            client?.serverSpoke()
            broken()
            return false
        case .complete: break
        }
        guard let client else { return false }
        // Nothing was upgraded, so nothing may be switched.
        if head.status == 101 {
            client.serverSpoke()
            broken()
            return false
        }
        searched = 0
        input.moveReaderIndex(forwardBy: head.length)
        if head.status < 200 {
            client.serverSpoke()
            client.interim(head, bytes.readableBytesUInt8Span)
            return true
        }
        let framing = head.framing(answeringHead: answersHead)
        // A server that sends the body that it announces here would answer the next request with it.
        let mayHaveStray = framing == .none && head.status != 304 && (head.isChunked || (head.contentLength ?? 0) > 0)
        keepsAlive = head.keepsAlive && framing != .untilClose && !mayHaveStray
        phase = .body(BodyDecoder(framing))
        client.answerBegan(head, bytes.readableBytesUInt8Span, framing)
        return true
    }

    private func readBody() -> Bool {
        guard case .body(var decoder) = phase, let client else { return false }
        let bytes = input
        var position = 0
        var ended = false
        var isBroken = false
        reading: while true {
            switch decoder.next(bytes.readableBytesUInt8Span, from: &position) {
            case .needMore: break reading
            case .data(let range): client.answerBody(bytes, range)
            case .violation:
                isBroken = true
                break reading
            case .end:
                ended = true
                break reading
            }
        }
        if case .closed = phase { return false }
        phase = .body(decoder)
        input.moveReaderIndex(forwardBy: position)
        if isBroken {
            broken()
            return false
        }
        guard ended else {
            // Not while it is paused: what a slow client takes its time for is not the server's doing.
            if isReading { worker.timers.set(timer, worker.now() &+ pool.idleTimeout) }
            return false
        }
        answerEnded(trailers: decoder.trailerSection)
        return true
    }

    private func answerEnded(trailers: [UInt8]) {
        guard let client else { return }
        pool.counters.answers += 1
        let now = worker.now()
        let reuses = client.answerCompleted(
            serverKeepsAlive: keepsAlive && input.readableBytes == 0,
            trailers: trailers,
            at: now
        )
        // Telling the client may have shown that it is gone, and this connection with it.
        if case .closed = phase { return }
        self.client = nil
        wasUsedBefore = true
        if reuses {
            phase = .idle
            pool.release(self, at: now)
        } else {
            finish()
            close()
        }
        client.proceed()
    }

    // MARK: Ends that are none of the exchange's making

    /// The connection is over, whoever's doing it was. An answer that is delimited by the close ends here.
    private func lost(properly: Bool) {
        switch phase {
        case .closed: return
        case .idle:
            phase = .closed
            worker.timers.retire(timer)
            pool.idleClosed(self)
        case .head, .body:
            var endsProperly = false
            if case .body(let decoder) = phase { endsProperly = properly && decoder.mayEndByClose }
            let client = self.client
            finish()
            if !endsProperly, client != nil { pool.counters.failures += 1 }
            client?.serverLost(self, endsProperly: endsProperly)
        }
    }

    private func broken() {
        lost(properly: false)
        close()
    }

    private func finish() {
        if case .closed = phase { return }
        phase = .closed
        client = nil
        worker.timers.retire(timer)
        pool.busyClosed()
    }
}

extension BackendConnection: WheelTimerTarget {
    func deadlineMet() {
        switch phase {
        case .idle: close()
        case .head, .body:
            let client = self.client
            let answerHadBegun = if case .body = phase { true } else { false }
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
