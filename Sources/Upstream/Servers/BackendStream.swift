import Authorization
import HTTPCore
import NIOCore
import Tenants
import Time

/// One request to an HTTP/2 server, and its response. Like every request it is written as an HTTP/1.1 head, from which
/// the fields are made; and the response's fields are written as a head for the response parser.
///
/// This file has the output; `+Response` the server's output.
final class BackendStream {
    let connection: BackendMultiplexer
    var state = BackendStreamState()
    private var output: BackendOutput
    /// When the request was out, by ``LoopContext/lastTick``.
    private(set) var sentAt = MonotonicTime.distantPast
    private(set) var isReading = true
    /// Flow-controlled bytes that were passed on, but not yet credited to the server.
    private var heldBack = 0
    /// This stream's part of the client connection's ``ReceiveWindows``.
    private var windowShare = 0
    /// The last piece of the request, held back so that END_STREAM can go with the last DATA frame.
    private var lastPiece: ByteBuffer?
    private let timer = WheelTimer()

    init(_ connection: BackendMultiplexer) {
        self.connection = connection
        output = BackendOutput(connection.loop.allocator.buffer(capacity: 2048))
        timer.target = self
    }

    var pool: ServerPool { connection.pool }
    var loop: LoopContext { connection.loop }

    /// The request that holds the lease; nil if none does.
    var request: UpstreamRequest? { state.request }

    /// Whether the whole request was sent.
    var requestIsOut: Bool { output.isComplete }

    func setDeadline(_ deadline: MonotonicTime) { loop.timers.set(timer, deadline) }

    func becameWritable() { request?.owner?.serverWritabilityChanged(true) }

    /// Its request is over.
    func end() {
        giveBackShare()
        let id = state.id
        guard state.end() else { return }
        loop.timers.retire(timer)
        connection.ended(id)
    }

    /// Something impossible happened. It costs the stream and its request.
    func failInternally(_ what: StaticString) {
        loop.failedInternally(.backendStream, what)
        if let id = state.id { connection.session.reset(stream: id, code: .internalError) }
        lostLater(wasActedOn: true)
    }

    // MARK: The head

    /// The head is kept in case another server has to get it.
    private func sendHead(endStream: Bool) {
        guard case .queued = state.phase else { return }
        let head = loop.spares.requests.take()
        defer { loop.spares.requests.giveBack(head) }
        guard head.parse(output.buffer, loop.spares.forwardedParser) == .complete else {
            return lostLater(wasActedOn: true)
        }
        guard let id = connection.begin(self) else { return lostLater(wasActedOn: false) }
        guard state.opened(id) else { return failInternally("a stream is opened twice") }
        let bytes = head.bytes
        connection.session.sendHeaders(stream: id, endStream: endStream) { encoder, out in
            HTTP2BackendRequest.encode(
                head.head,
                bytes.readableBytesUInt8Span,
                isTLS: pool.server.scheme == .https,
                with: &encoder,
                to: &out
            )
        }
        widenWindow()
    }

    /// No stream was free after all. Reported later, because the request is just being handed over.
    private func lostLater(wasActedOn: Bool) {
        loop.atEndOfTurn { [self] in lost(wasActedOn: wasActedOn) }
    }

    // MARK: Flow control

    /// Lets the server send as much of the response as the client's connection allows.
    private func widenWindow() {
        guard let id = state.id, let owner = request?.owner,
            let outstanding = connection.session.receiveWindow(ofStream: id)
        else { return }
        let window = owner.receiveWindow(outstanding: outstanding, share: &windowShare)
        if window > outstanding { connection.session.widen(stream: id, to: window) }
    }

    /// Nothing more is received.
    func giveBackShare() { request?.owner?.giveBackReceiveWindow(&windowShare) }

    /// That many bytes of the response were handed over. They are credited at the end of the read, when its client has
    /// said whether it takes more: earlier credit would allow more than a client may have waiting.
    func passedOn(_ count: Int) { heldBack += count }

    /// Credits the server with the bytes handed over, if the client takes more.
    func giveBackWindow() {
        guard isReading, heldBack > 0, let id = state.id else { return }
        let count = heldBack
        heldBack = 0
        connection.session.passedOn(stream: id, count)
        widenWindow()
    }
}

extension BackendStream: UpstreamServer {
    var isWritable: Bool {
        guard let id = state.id else { return true }
        return !connection.session.isCongested(stream: id)
    }

    var canBegin: Bool {
        guard case .leased = state.phase else { return false }
        return connection.takesRequests
    }

    var isUntried: Bool { connection.isUntried }

    func takeBuffer() -> ByteBuffer { output.takeBuffer() }

    func begin(_ request: UpstreamRequest, _ head: ForwardedHead) {
        output.begin(head, isChunked: false)
        guard state.begin(request) else {
            failInternally("a request begins on a stream that has one")
            let number = request.number
            return loop.atEndOfTurn { [self] in
                if request.number == number { request.serverLost(self, endsProperly: false) }
            }
        }
        isReading = request.owner?.takesResponse ?? true
    }

    func takeHead() -> ForwardedHead { output.takeHead() }

    func send(_ bytes: ByteBuffer) {
        sendHead(endStream: false)
        guard let id = state.id else { return }
        sendLastPiece(id)
        lastPiece = bytes
    }

    private func sendLastPiece(_ id: UInt32) {
        guard let piece = lastPiece else { return }
        lastPiece = nil
        connection.session.sendData(stream: id, piece, endStream: false)
    }

    func endBody(trailers: ByteBuffer) {
        sendHead(endStream: false)
        guard let id = state.id else { return }
        guard trailers.readableBytes > 0 else {
            connection.session.sendData(stream: id, lastPiece ?? ByteBuffer(), endStream: true)
            lastPiece = nil
            return
        }
        sendLastPiece(id)
        connection.session.sendTrailers(stream: id) { block in
            block.append(section: Array(trailers.readableBytesView))
        }
    }

    func flush(bodyFollows: Bool) {
        sendHead(endStream: request?.details.framing == RequestFraming.none)
        if let id = state.id { sendLastPiece(id) }
        connection.turn()
    }

    private var responseTimeout: UInt64 { request?.responseTimeout(at: pool) ?? pool.responseTimeout }

    func requestSent(at now: MonotonicTime) {
        output.isComplete = true
        sentAt = loop.lastTick
        switch state.phase {
        case .awaitingHead: if isReading { setDeadline(now + responseTimeout) }
        case .readingBody: heard()
        case .leased, .queued, .holding, .ended: break
        }
    }

    func setReading(_ isReading: Bool) {
        guard isReading != self.isReading else { return }
        self.isReading = isReading
        switch state.phase {
        case .readingBody: if isReading { heard() } else { setDeadline(WheelTimer.never) }
        case .awaitingHead where requestIsOut:
            setDeadline(isReading ? loop.now() + responseTimeout : WheelTimer.never)
        case .leased, .queued, .awaitingHead, .holding, .ended: break
        }
        if isReading {
            giveBackWindow()
            connection.turn()
        }
    }

    func resumeResponse() { passHeldResponse() }

    /// Tunnels are never requested over HTTP/2 (``ServerPool/forUpgrades``).
    func sendTunnel(_ bytes: ByteBuffer) { failInTunnel() }

    func endTunnel() { failInTunnel() }

    private func failInTunnel() {
        loop.failedInternally(.backendStream, "a tunnel over HTTP/2")
        abandon()
    }

    func abandon() {
        guard request != nil else { return }
        if let id = state.id { connection.session.reset(stream: id, code: .cancel) }
        end()
        connection.turn()
    }

    func giveBack() {
        guard request == nil else { return failInternally("a stream is given back that has a request") }
        end()
    }
}
