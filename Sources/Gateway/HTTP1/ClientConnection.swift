import HTTPCore
import NIOCore
import Tenants

/// One client connection over HTTP/1.1: the last handler in its channel, and the only one without TLS. Here a request
/// begins its way: its head is parsed and decided on where it stands in the read buffer, and goes to a server's
/// connection without a hop.
///
/// This file has what the channel and the clock tell it; `+Request` what the client sends; `+Answer` what goes back.
final class ClientConnection: ClientExchange, ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Bytes of following requests that are kept while an answer is under way.
    static let pipelineLimit = 64 << 10
    private static let lingerTime: UInt64 = 2_000_000_000

    var context: ChannelHandlerContext?
    var input = ByteBuffer()
    /// Bytes of an incomplete head that were searched for a line end already.
    var searched = 0
    var decoder = BodyDecoder(RequestFraming.none)
    var answerIsChunked = false
    var answerIsCloseDelimited = false
    var hasUnflushed = false
    /// Its place in the worker's list.
    var placeInWorker = -1
    private(set) var backlog = ClientBacklog()
    /// All bytes that were handed to the channel.
    var writtenBytes: UInt64 = 0
    private let isWelcome: Bool
    /// Whether a turn of the loop is asked for in which what was received is read.
    var readsLater = false
    private var isReading = true
    private var isReset = false
    /// As the channel last said: asking it costs more than remembering.
    private var channelIsWritable = true

    /// - Parameter isWelcome: Whether the connection is within the limit; if not, it is only told so.
    init(worker: Worker, peer: Peer, isWelcome: Bool) {
        self.isWelcome = isWelcome
        super.init(worker: worker, peer: peer, tokenMemory: TokenMemory())
    }

    // MARK: What the exchange asks for

    override var isWritable: Bool { channelIsWritable }
    override var answerBytesTaken: Int {
        let held = (try? context?.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
        return max(0, record.bodyBytes - held)
    }
    override func process() { readOn() }
    override func interim(_ head: ResponseHead, _ bytes: Span<UInt8>) { writeInterim(head, bytes) }
    override func answerBegan(_ head: ResponseHead, _ bytes: Span<UInt8>, _ framing: ResponseFraming) {
        writeHead(head, bytes, framing)
    }
    override func answerBody(_ bytes: ByteBuffer, _ range: Range<Int>) { writeBody(bytes, range) }
    override func writeEnd(trailers: [UInt8]) { writeLast(trailers: trailers) }
    override func flushAnswer() { flushOutput() }
    override func answerIsOut(_ completion: Exchange.Completion, at now: UInt64) { goOn(completion, at: now) }
    override func refuse(_ refusal: Refusal, closing: Bool = false) { writeRefusal(refusal, closing: closing) }
    override func switched(_ head: ResponseHead, _ bytes: Span<UInt8>) { writeSwitch(head, bytes) }
    override func sendTunnel(_ bytes: ByteBuffer) { write(bytes) }
    override func endTunnel() { closeTunnel() }

    // MARK: What the channel says

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        channelIsWritable = context.channel.isWritable
        startTimer()
        setDeadline(worker.idleTimeout)
        if case .head = phase, !isWelcome {
            record = ExchangeRecord(startedAt: worker.now(), id: worker.identifiers.requestID())
            refuse(.tooManyConnections, closing: true)
        }
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
        process()
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if case .tunnel = phase { server?.flush(bodyFollows: true) }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        channelIsWritable = context.channel.isWritable
        updateBacklog()
        if channelIsWritable { answerFlowsAgain() }
        switch phase {
        case .lingering, .closed: return
        // The answer's own timeouts hold, unless the client takes nothing of it.
        case .answer where !isWritable, .body where !isWritable: answerIsHeldUp()
        case .body: updateBodyDeadline()
        case .answer, .deciding: setDeadline(isWritable ? nil : worker.idleTimeout)
        case .head where isWritable && input.readableBytes > 0: setDeadline(worker.headerTimeout)
        case .tunnel: break
        case .head, .waitingForServer, .readingPastBody, .closing: setDeadline(worker.idleTimeout)
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
        abandonExchange()
        if worker.outputOwner === self { worker.outputOwner = nil }
        worker.closed(self)
        updateBacklog()
        input = ByteBuffer()
    }

    /// What the channel holds is of interest once it says that it is too much.
    func updateBacklog() {
        var unsent = 0
        if !channelIsWritable, !isReset, let context {
            if case .closed = phase {} else { unsent = context.unsentBytes }
        }
        guard unsent != backlog.bytes else { return }
        let taken = writtenBytes > UInt64(unsent) ? writtenBytes - UInt64(unsent) : 0
        worker.backlogChanged(by: backlog.update(bytes: unsent, taken: taken, at: worker.lastTick))
    }

    // MARK: What the clock says

    override func tooLate() {
        switch phase {
        case .head where input.readableBytes > 0 && isWritable:
            record = ExchangeRecord(startedAt: worker.now(), id: worker.identifiers.requestID())
            refuse(.headTimeout, closing: true)
        case .closing: reset()
        default: super.tooLate()
        }
    }

    override func closeNow() {
        if exchange.answerHasBegun && answerIsCloseDelimited {
            reset()
        } else {
            context?.close(promise: nil)
        }
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
    override func cut() {
        if case .closed = phase { return }
        finishRecord(status: record.status, at: worker.now())
        if answerIsCloseDelimited { reset() } else { lingerAndClose() }
    }

    /// The client must not take what it has for the whole.
    private func reset() {
        isReset = true
        context?.reset()
    }

    override func setReading(_ isReading: Bool) {
        guard isReading != self.isReading else { return }
        self.isReading = isReading
        try? context?.channel.syncOptions?.setOption(.autoRead, value: isReading)
    }
}

extension ClientConnection: FrontConnection {
    var address: SubjectName? { peer.limitSubject?.name }

    var takesRoom: Bool { isWelcome && !peer.isTrustedProxy }

    var isIdle: Bool {
        guard case .head = phase, !readsLater else { return false }
        return (context?.unsentBytes ?? 0) == 0
    }

    func trust(_ proxies: [AddressRange]) { peer = peer.trusting(proxies) }

    /// The gateway is going down: a connection between requests has no reason to stay, and a tunnel has no other end.
    func drain() {
        if case .head = phase, input.readableBytes == 0 { lingerAndClose() }
        tunnel?.close(.shuttingDown)
    }

    func closeForBacklog() {
        isReset = true
        updateBacklog()
        context?.reset()
    }

    func endRevoked(unixTime: Double, at now: UInt64) -> Bool { endIfRevoked(unixTime: unixTime, at: now) }
}
