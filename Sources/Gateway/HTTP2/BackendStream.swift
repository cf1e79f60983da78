import HTTPCore
import NIOCore
import Tenants

/// One request to a server that speaks HTTP/2, and its answer. Like every request it is written as a head of HTTP/1.1,
/// from which the fields are made; and the fields of the answer are written as a head that the one parser reads.
final class BackendStream: ServerExchange {
    private enum Phase {
        /// The request, or the answer's head, is still to come.
        case head
        case body
        case ended
    }

    private let connection: BackendMultiplexer
    private var pool: ServerPool { connection.pool }
    /// 0 until the request has begun.
    private var id: UInt32 = 0
    private var phase = Phase.head
    private var details: Request?
    /// Whether there was no place for it after all; nothing is sent any more.
    private var isLost = false
    private var requestIsOut = false
    /// When the request was out, as ``Worker/lastTick`` was then.
    private var sentAt: UInt64 = 0
    private var isReading = true
    /// Flow-controlled bytes that are passed on and not given back, while the client takes no more.
    private var heldBack = 0
    /// Bytes of the client connection's ``ReceiveWindows`` that this stream's window holds.
    private var windowShare = 0
    /// An answer that has begun and that the client's side lets wait, as it came.
    private var held: HeldAnswer?
    /// The last piece of the request: what it is the end of is told with it.
    private var lastPiece: ByteBuffer?
    private let timer = WheelTimer()

    init(_ connection: BackendMultiplexer) {
        self.connection = connection
        super.init(leasedFrom: connection.pool, worker: connection.worker)
        timer.target = self
    }

    // MARK: What the client's side does

    override var isWritable: Bool { id == 0 || !connection.session.isCongested(stream: id) }

    override func begin(_ client: ClientExchange, _ request: Request) {
        self.client = client
        details = request
        isReading = client.isWritable
    }

    override func send(_ bytes: ByteBuffer) {
        sendHead(endStream: false)
        guard id != 0 else { return }
        sendLastPiece()
        lastPiece = bytes
    }

    private func sendLastPiece() {
        guard let piece = lastPiece else { return }
        lastPiece = nil
        connection.session.sendData(stream: id, piece, endStream: false)
    }

    override func endBody(trailers: ByteBuffer) {
        sendHead(endStream: false)
        guard id != 0 else { return }
        guard trailers.readableBytes > 0 else {
            connection.session.sendData(stream: id, lastPiece ?? ByteBuffer(), endStream: true)
            lastPiece = nil
            return
        }
        sendLastPiece()
        connection.session.sendTrailers(stream: id) { block in
            HTTP2Response.appendTrailers(Array(trailers.readableBytesView), to: &block)
        }
    }

    override func flush(bodyFollows: Bool) {
        sendHead(endStream: details?.framing == RequestFraming.none)
        sendLastPiece()
        connection.turn()
    }

    /// The head is kept in ``request`` for a server that is to have it instead.
    private func sendHead(endStream: Bool) {
        guard id == 0, client != nil, !isLost else { return }
        let head = request
        guard worker.forwardedParser.parse(head.readableBytesUInt8Span, into: worker.forwardedHead) == .complete else {
            return lostLater(wasActedOn: true)
        }
        guard let id = connection.begin(self) else { return lostLater(wasActedOn: false) }
        self.id = id
        connection.session.sendHeaders(stream: id, endStream: endStream) { encoder, out in
            HTTP2BackendRequest.encode(
                worker.forwardedHead,
                head.readableBytesUInt8Span,
                isTLS: pool.server.scheme == .https,
                with: &encoder,
                to: &out
            )
        }
        widenWindow()
    }

    /// Lets the server send as much of the answer as the client's connection has room for.
    private func widenWindow() {
        guard let client, let outstanding = connection.session.receiveWindow(ofStream: id) else { return }
        let window = client.receiveWindow(outstanding: outstanding, share: &windowShare)
        if window > outstanding { connection.session.widen(stream: id, to: window) }
    }

    private func passedOn(_ count: Int) {
        connection.session.passedOn(stream: id, count)
        widenWindow()
    }

    /// There was no place after all. Told later, because the client is just handing over its request.
    private func lostLater(wasActedOn: Bool) {
        isLost = true
        let bound = NIOLoopBound(self, eventLoop: worker.eventLoop)
        worker.eventLoop.execute { bound.value.lost(wasActedOn: wasActedOn) }
    }

    override func requestSent(at now: UInt64) {
        requestIsOut = true
        sentAt = worker.lastTick
        switch phase {
        case .head: if held == nil, isReading { setDeadline(now &+ pool.responseTimeout) }
        case .body: heard()
        case .ended: break
        }
    }

    override func setReading(_ isReading: Bool) {
        guard isReading != self.isReading else { return }
        self.isReading = isReading
        switch phase {
        case .body: if isReading { heard() } else { setDeadline(WheelTimer.never) }
        case .head where requestIsOut && held == nil:
            setDeadline(isReading ? worker.now() &+ pool.responseTimeout : WheelTimer.never)
        case .head, .ended: break
        }
        guard isReading, heldBack > 0 else { return }
        passedOn(heldBack)
        heldBack = 0
        connection.turn()
    }

    override func abandon() {
        guard client != nil else { return }
        if id != 0 { connection.session.reset(stream: id, code: .cancel) }
        end()
        connection.turn()
    }

    override func giveBack() { end() }

    func becameWritable() { client?.serverWritabilityChanged(true) }

    private func setDeadline(_ deadline: UInt64) { worker.timers.set(timer, deadline) }

    private func end() {
        if case .ended = phase { return }
        phase = .ended
        client?.giveBackReceiveWindow(&windowShare)
        client = nil
        held = nil
        worker.timers.retire(timer)
        connection.ended(id)
    }

    // MARK: What the server sends

    /// The fields stand in ``Worker/answerFields``.
    func headReceived(endStream: Bool) {
        guard let client else { return }
        client.serverSpoke()
        worker.http2Head.clear()
        do throws(HTTP2Malformed) {
            let answersHead = details?.isHead == true
            try HTTP2BackendResponse.write(
                worker.answerFields,
                endStream: endStream,
                answeringHead: answersHead,
                to: &worker.http2Head
            )
        } catch {
            return broken()
        }
        let bytes = worker.http2Head
        let head = worker.responseHead
        guard worker.responseParser.parse(bytes.readableBytesUInt8Span, into: head) == .complete, head.status != 101
        else { return broken() }
        if head.status < 200 { return client.interim(head, bytes.readableBytesUInt8Span) }
        let framing = head.framing(answeringHead: details?.isHead == true)
        if !endStream, let length = framing.length { connection.session.expectLength(stream: id, length) }
        if client.holdsAnswer(head, bytes.readableBytesUInt8Span) {
            pool.answered(client)
            held = HeldAnswer(head: bytes, end: endStream ? .complete([]) : .open)
            return setDeadline(WheelTimer.never)
        }
        begin(head, bytes, framing, endStream: endStream)
    }

    private func begin(_ head: ResponseHead, _ bytes: ByteBuffer, _ framing: ResponseFraming, endStream: Bool) {
        guard let client else { return }
        pool.answered(client)
        phase = .body
        client.answerBegan(head, bytes.readableBytesUInt8Span, framing)
        if endStream { completed(trailers: []) } else { heard() }
    }

    override func resumeAnswer() {
        guard let held else { return }
        self.held = nil
        let bytes = held.head
        let head = worker.responseHead
        guard worker.responseParser.parse(bytes.readableBytesUInt8Span, into: head) == .complete else {
            return broken()
        }
        begin(head, bytes, head.framing(answeringHead: details?.isHead == true), endStream: false)
        for piece in held.pieces where client != nil {
            bodyReceived(piece.bytes, flowControlled: piece.flowControlled, endStream: false)
        }
        if case .complete(let trailers) = held.end { completed(trailers: trailers) }
        client?.flushAnswer()
        connection.turn()
    }

    func bodyReceived(_ bytes: ByteBuffer, flowControlled: Int, endStream: Bool) {
        // At most a window of it: none is given back while it waits.
        if held != nil {
            held?.pieces.append((bytes, flowControlled))
            if endStream { held?.end = .complete([]) }
            return
        }
        if bytes.readableBytes > 0 { client?.answerArrived(bytes, 0..<bytes.readableBytes) }
        if isReading { passedOn(flowControlled) } else { heldBack += flowControlled }
        if endStream { completed(trailers: []) } else { heard() }
    }

    /// The fields stand in ``Worker/answerFields``.
    func trailersReceived() {
        do throws(HTTP2Malformed) {
            let trailers = try HTTP2BackendResponse.trailers(worker.answerFields)
            if held != nil { held?.end = .complete(trailers) } else { completed(trailers: trailers) }
        } catch {
            broken()
        }
    }

    private func heard() {
        // While the request is still on its way, it is not the server whom something is waited for from.
        guard case .body = phase, isReading, requestIsOut else { return }
        setDeadline(worker.now() &+ pool.idleTimeout)
    }

    private func completed(trailers: [UInt8]) {
        guard let client else { return }
        pool.counters.answers += 1
        let requestIsThrough = client.answerCompleted(serverKeepsAlive: true, trailers: trailers, at: worker.now())
        if case .ended = phase { return }
        if !requestIsThrough { connection.session.reset(stream: id, code: .noError) }
        end()
        client.proceed()
    }

    private func broken() {
        connection.session.reset(stream: id, code: .protocolError)
        lost()
    }

    /// The connection broke, or the stream was reset.
    ///
    /// - Parameter wasActedOn: False where the server said that it never looked at the request (RFC 9113 section 8.7):
    ///   that is no failure of its.
    func lost(wasActedOn: Bool = true) {
        guard let client else { return end() }
        // It has all of the answer that it needs.
        if case .complete? = held?.end { return }
        held = nil
        pool.counters.failures += 1
        if case .head = phase, wasActedOn { pool.failed(.reset, begunAt: client.attemptBegunAt) }
        end()
        client.serverLost(self, endsProperly: false, wasActedOn: wasActedOn)
    }
}

/// What has come of an answer that has to wait.
private struct HeldAnswer {
    enum End {
        case open
        /// With its trailers.
        case complete([UInt8])
    }

    /// In the form of HTTP/1.1.
    var head: ByteBuffer
    var pieces: [(bytes: ByteBuffer, flowControlled: Int)] = []
    var end: End
}

extension BackendStream: WheelTimerTarget {
    func deadlineMet() {
        guard let client else { return }
        pool.counters.timeouts += 1
        connection.session.reset(stream: id, code: .cancel)
        let answerHadBegun = if case .body = phase { true } else { false }
        if !answerHadBegun { pool.failed(.silent, begunAt: client.attemptBegunAt) }
        end()
        // A connection on which nothing came since is as good as dead.
        if connection.lastHeard < sentAt { connection.drain() } else { connection.turn() }
        if answerHadBegun {
            client.serverLost(self, endsProperly: false)
        } else {
            client.serverTimedOut(self)
        }
    }
}
