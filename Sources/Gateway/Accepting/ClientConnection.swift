import Glibc
import NIOCore
import Tenants

/// One client connection over HTTP/1.1: the only handler in its channel. Here a request begins its way: its head is
/// parsed and decided on where it stands in the read buffer, and goes to a server's connection without a hop.
///
/// This file has what the channel and the clock tell it; `+Request` what the client sends; `+Answer` what goes back.
final class ClientConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    enum Phase {
        /// Between requests, or inside a head.
        case head
        /// Waiting for a step of the decision that is done elsewhere.
        case deciding
        /// Decided, and waiting for a connection to a server.
        case waitingForServer
        /// The request's body is on its way through.
        case body
        /// The request is through; the answer is not.
        case answer
        /// The answer is out; the rest of the request's body is read past.
        case readingPastBody(allowance: Int)
        /// The last answer is on its way out; then our side is shut.
        case closing
        /// Our side is shut. The client gets time to read the answer before its connection is torn down, which it would
        /// be at once if bytes of its own were left unread (RFC 9112 section 9.6).
        case lingering
        case closed
    }

    /// Bytes of following requests that are kept while an answer is under way.
    static let pipelineLimit = 64 << 10
    private static let lingerTime: UInt64 = 2_000_000_000

    let worker: Worker
    let isTLS: Bool
    var peer = Peer(nil, trustedProxies: [], isTLS: false)
    var context: ChannelHandlerContext?
    var input = ByteBuffer()
    /// Bytes of an incomplete head that were searched for a line end already.
    var searched = 0
    var phase = Phase.head
    var decoder = BodyDecoder(RequestFraming.none)
    var bodyBytesReceived = 0
    var requestFraming = RequestFraming.none
    var exchange = Exchange(clientWantsKeepAlive: false, expectsContinue: false)
    var clientStays = false
    var answerIsChunked = false
    var answerIsCloseDelimited = false
    var record = ExchangeRecord()
    let tokenMemory = TokenMemory()
    var server: BackendConnection?
    var waitingAt: ServerPool?
    var triedServers: [ServerPool] = []
    /// What was received, from its head on, while the decision waits.
    var undecided: ByteBuffer?
    /// The head for the backend, while it cannot be sent yet.
    var pendingHead: ByteBuffer?
    var hasUnflushed = false
    /// Whether what is in the loop's output buffer is for this client.
    var hasOutput = false
    /// Its place in the worker's list.
    var placeInWorker = -1
    private var isReading = true
    /// As the channel last said: asking it costs more than remembering.
    private(set) var isWritable = true
    private let timer = WheelTimer()

    init(worker: Worker, isTLS: Bool) {
        self.worker = worker
        self.isTLS = isTLS
    }

    // MARK: What the channel says

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        if context.channel.isActive { opened(context) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func channelActive(context: ChannelHandlerContext) {
        opened(context)
    }

    private func opened(_ context: ChannelHandlerContext) {
        guard placeInWorker < 0 else { return }
        timer.target = self
        peer = Peer(context.remoteAddress, trustedProxies: worker.settings.trustedProxies, isTLS: isTLS)
        setDeadline(worker.idleTimeout)
        let isWelcome = worker.opened(self)
        if case .head = phase, !isWelcome {
            record = ExchangeRecord(startedAt: worker.now(), id: worker.identifiers.requestID())
            refuse(.tooManyConnections, closing: true)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        if input.readableBytes > 0 {
            input.discardReadBytes()
            input.writeBuffer(&bytes)
        } else {
            input = bytes
        }
        process()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        isWritable = context.channel.isWritable
        switch phase {
        case .lingering, .closed: return
        // The answer's own timeouts hold, unless the client takes nothing of it.
        case .answer, .deciding: setDeadline(isWritable ? nil : worker.idleTimeout)
        case .head where isWritable && input.readableBytes > 0: setDeadline(worker.headerTimeout)
        case .head, .waitingForServer, .body, .readingPastBody, .closing: setDeadline(worker.idleTimeout)
        }
        server?.setReading(isWritable)
        if case .head = phase, isWritable { proceed() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? ChannelEvent, event == .outputClosed, case .closing = phase {
            phase = .lingering
            setDeadline(Self.lingerTime)
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        gone()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    /// The connection is over: whatever was under way for it is let go.
    private func gone() {
        if case .closed = phase { return }
        let wasUnderWay = isInExchange
        phase = .closed
        worker.timers.retire(timer)
        worker.closed(self)
        waitingAt?.forget(self)
        waitingAt = nil
        server?.abandon()
        server = nil
        input = ByteBuffer()
        pendingHead = nil
        undecided = nil
        // nginx's 499: no answer went out that could be counted instead.
        if wasUnderWay { finishRecord(status: exchange.answerHasBegun ? record.status : 499, at: worker.now()) }
    }

    var isInExchange: Bool {
        switch phase {
        case .deciding, .waitingForServer, .body, .answer: true
        case .head, .readingPastBody, .closing, .lingering, .closed: false
        }
    }

    // MARK: What the clock says

    /// - Parameter timeout: Nanoseconds from `start`, or from now; nil for none.
    func setDeadline(_ timeout: UInt64?, from start: UInt64? = nil) {
        worker.timers.set(timer, timeout.map { (start ?? worker.now()) &+ $0 } ?? WheelTimer.never)
    }

    private func tooLate() {
        switch phase {
        case .head where input.readableBytes > 0 && isWritable:
            record = ExchangeRecord(startedAt: worker.now(), id: worker.identifiers.requestID())
            refuse(.headTimeout, closing: true)
        case .body where exchange.awaitsAnswer:
            // Not read from because the server takes no more, the client is not to blame.
            let isServersFault = server?.isWritable == false
            abandonServer()
            refuse(isServersFault ? .backendTimeout : .bodyTimeout, closing: true)
        case .waitingForServer: refuseWaiting(.overloaded)
        case .closing: reset()
        case .head, .deciding, .body, .answer, .readingPastBody, .lingering: closeNow()
        case .closed: break
        }
    }

    /// Drops the connection with whatever is not written yet.
    func closeNow() {
        if exchange.answerHasBegun && answerIsCloseDelimited {
            reset()
        } else {
            context?.close(promise: nil)
        }
    }

    func abandonServer() {
        server?.abandon()
        server = nil
    }

    // MARK: The connection's end

    /// Shuts our side when all is written, and the connection a little later.
    func lingerAndClose() {
        if case .closed = phase { return }
        phase = .closing
        input = ByteBuffer()
        setReading(true)
        setDeadline(worker.idleTimeout)
        context?.close(mode: .output, promise: nil)
    }

    /// Ends the connection in a way that cannot be taken for the end of the answer that is under way.
    func cut() {
        if case .closed = phase { return }
        finishRecord(status: record.status, at: worker.now())
        if answerIsCloseDelimited { reset() } else { lingerAndClose() }
    }

    /// A reset: the client must not take what it has for the whole.
    private func reset() {
        _ = (context?.channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
        context?.close(promise: nil)
    }

    /// The gateway is going down: a connection between requests has no reason to stay.
    func drain() {
        if case .head = phase, input.readableBytes == 0 { lingerAndClose() }
    }

    func setReading(_ isReading: Bool) {
        guard isReading != self.isReading else { return }
        self.isReading = isReading
        try? context?.channel.syncOptions?.setOption(.autoRead, value: isReading)
    }
}

extension ClientConnection: WheelTimerTarget {
    func deadlineMet() { tooLate() }
}
