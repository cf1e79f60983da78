import HTTPCore
import NIOCore
import SharedState
import Tenants

/// The client's side of one request and its answer, whichever protocol the client speaks: from a whole head to the last
/// byte of the answer. Here a request is decided on, finds a server and meets what may go wrong there; how bytes are
/// read from the client and written to it is the subclass's (``ClientConnection`` for HTTP/1.1, ``HTTP2ClientStream``).
///
/// This file has what is common to all; `+Deciding` the way to a grant, `+Server` the way to a server and its failures.
class ClientExchange {
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
        /// The server has switched protocols: bytes pass both ways until one side ends.
        case tunnel
        /// The answer is out; the rest of the request's body is read past.
        case readingPastBody(allowance: Int)
        /// The last answer is on its way out; then our side is shut.
        case closing
        /// Our side is shut. The client gets time to read the answer before its connection is torn down, which it would
        /// be at once if bytes of its own were left unread (RFC 9112 section 9.6).
        case lingering
        case closed
    }

    final let worker: Worker
    final var peer: Peer {
        didSet { circumstances.peer = peer }
    }
    final let tokenMemory: TokenMemory
    final var phase = Phase.head
    final var requestFraming = RequestFraming.none
    final var bodyBytesReceived = 0
    final var exchange = Exchange(clientWantsKeepAlive: false, expectsContinue: false)
    final var record = ExchangeRecord()
    /// Another one for each exchange: what was asked for one must not reach the next. Identifiers of requests will not
    /// do, since a trusted proxy may give two of them the same.
    final var serial: UInt64 = 0
    final var server: ServerExchange?
    final var waitingAt: ServerPool?
    /// Places of servers that had the request, or could not be reached for it.
    final var triedServers: [Int] = []
    /// The server that was chosen last, until what became of it is counted.
    final var attempt: ServerPool?
    final var attemptBegunAt: UInt64 = 0
    /// How many servers have had the request.
    final var triesMade = 0
    /// Whether the client's connection goes on after the answer.
    final var clientStays = true
    /// What the worker's head has to be until the backend's is written.
    final var headStamp = HeadStamp()
    /// What was received, from its head on, while the decision waits.
    final var undecided: ByteBuffer?
    /// The head for the backend, while it cannot be sent yet.
    final var pendingHead: ByteBuffer?
    /// What the client asked for beyond an answer: nil but for a handshake of a WebSocket.
    final var handshake: WebSocketUpgrade?
    final var tunnel: Tunnel?
    /// Whether the answer ends the caller's session, as `revoke_on` says.
    final var sessionEnd = SessionEnd.notAsked
    /// What the decision may still ask for.
    final var allowedSteps = AllowedSteps.all
    /// The generation of the configuration that asked for the step under way.
    final var stepGeneration: UInt64 = 0
    /// The request, as long as the backend's 401 could lead to its being made again.
    final var kept: KeptRequest?
    final var refreshStage = RefreshStage.idle
    /// The backend's 401 as a whole, while it waits here for new tokens.
    final var heldAnswer: ByteBuffer?
    /// To be made after the answer, for a token that expires soon.
    final var dueRefresh: RefreshRequest?
    /// A request's body that is not to come from the client.
    final var bodyInHand: BodyInHand?
    /// The answer's body, while it may hold tokens to be kept.
    final var capture: TokenCaptureBuffer?
    /// What a decision is told, and what was found out for it.
    final let circumstances: Circumstances
    /// What was found of a sign-in that goes on to the backend; nil for all other requests.
    final var checkedSignIn: CheckedSignIn? {
        get { circumstances.signIn }
        set { circumstances.signIn = newValue }
    }
    /// The head of a request for an endpoint, in case it goes on to the backend.
    final var signInHead: ByteBuffer?
    /// Field lines of ours for the head of the final answer.
    final var answerLines: [UInt8] = []
    /// What the tenant has done to the fields of its answers; nil where it has nothing done to them.
    final var answerShape: AnswerShape?
    /// When the work on the request began that the loop is doing now, in monotonic nanoseconds; 0 for none.
    final var workBeganAt: UInt64 = 0
    /// How the request's body comes.
    final var requestRate = BodyRateMeter()
    /// How the client takes the body of the answer.
    final var responseRate = BodyRateMeter()
    /// When the request began that ``responseRate`` is for: it is set up by the first answer that has to wait.
    final var responseRateOwner: UInt64 = 0
    private final let timer = WheelTimer()

    init(worker: Worker, peer: Peer, tokenMemory: TokenMemory) {
        self.worker = worker
        self.peer = peer
        circumstances = Circumstances(peer: peer)
        self.tokenMemory = tokenMemory
    }

    // MARK: What each protocol does in its own way

    /// Whether it is a request of the gateway's own.
    var isOwn: Bool { false }

    /// Whether the client takes more of an answer for now.
    var isWritable: Bool { true }

    /// Bytes of the answer's body that have left the process, as far as it can tell.
    var answerBytesTaken: Int { record.bodyBytes }

    /// The window that the server's stream of this exchange gets now, where the server speaks HTTP/2.
    ///
    /// - Parameters:
    ///   - outstanding: Bytes that the server may still send.
    ///   - share: What the stream holds of what is shared with others; changed with it.
    /// - Returns: `outstanding`, or a greater one that the server is to be told of.
    func receiveWindow(outstanding: Int, share: inout Int) -> Int { ReceiveWindows.window(outstanding: outstanding) }

    /// The server's stream is over.
    func giveBackReceiveWindow(_ share: inout Int) {}

    /// Pauses or resumes reading of the request's body.
    func setReading(_ isReading: Bool) {}

    /// Uses what was received meanwhile, as far as it goes.
    func process() {}

    /// An interim answer (RFC 9110 section 15.2).
    func interim(_ head: ResponseHead, _ bytes: Span<UInt8>) {}

    /// The head of the final answer.
    func answerBegan(_ head: ResponseHead, _ bytes: Span<UInt8>, _ framing: ResponseFraming) {}

    func answerBody(_ bytes: ByteBuffer, _ range: Range<Int>) {}

    /// The end of the answer is written. The exchange is told by ``answerIsOut(_:at:)`` what becomes of the client.
    func writeEnd(trailers: [UInt8]) {}

    /// What has been written so far leaves.
    func flushAnswer() {}

    /// The answer is complete and written.
    func answerIsOut(_ completion: Exchange.Completion, at now: UInt64) {}

    /// The gateway's own answer.
    ///
    /// - Parameter closing: Whether the connection cannot go on, because nobody knows where the next request begins.
    func refuse(_ refusal: Refusal, closing: Bool = false) {}

    /// The client's connection is not to be used for further requests.
    func retireConnection() {}

    /// Ends the answer that is under way so that it cannot be taken for complete.
    func cut() {}

    /// Drops the exchange with whatever is not written yet.
    func closeNow() {}

    /// The server has switched protocols; its answer is passed on in the client's form.
    func switched(_ head: ResponseHead, _ bytes: Span<UInt8>) {}

    /// Bytes of a tunnel for the client.
    func sendTunnel(_ bytes: ByteBuffer) {}

    /// The tunnel is over; what was sent goes out first.
    func endTunnel() {}

    // MARK: What the clock says

    /// - Parameter timeout: Nanoseconds from `start`, or from now; nil for none.
    final func setDeadline(_ timeout: UInt64?, from start: UInt64? = nil) {
        worker.timers.set(timer, timeout.map { (start ?? worker.now()) &+ $0 } ?? WheelTimer.never)
    }

    /// - Parameter deadline: Monotonic nanoseconds.
    final func setDeadline(at deadline: UInt64) { worker.timers.set(timer, deadline) }

    /// The clock may tell this exchange of its deadline from now on.
    final func startTimer() { timer.target = self }

    final func retireTimer() { worker.timers.retire(timer) }

    func tooLate() {
        switch phase {
        case .body where exchange.awaitsAnswer:
            // Not read from because the server takes no more, the client is not to blame.
            let isServersFault = server?.isWritable == false
            abandonServer()
            refuse(isServersFault ? .backendTimeout : .bodyTimeout, closing: true)
        case .waitingForServer: refuseWaiting(.overloaded)
        case .answer where server is EndpointExchange && exchange.awaitsAnswer: endpointRefused(.overloaded)
        case .tunnel: tunnel?.wentSilent()
        case .body where takesAnswer(), .answer where takesAnswer(): break
        case .head, .deciding, .body, .answer, .readingPastBody, .closing, .lingering: closeNow()
        case .closed: break
        }
    }

    // MARK: The end

    final var isInExchange: Bool {
        switch phase {
        case .deciding, .waitingForServer, .body, .answer, .tunnel: true
        case .head, .readingPastBody, .closing, .lingering, .closed: false
        }
    }

    final func abandonServer() {
        server?.abandon()
        server = nil
    }

    /// The client is gone: whatever was under way for it is let go.
    final func abandonExchange() {
        if case .closed = phase { return }
        let wasUnderWay = isInExchange
        endSessionUnseen()
        phase = .closed
        retireTimer()
        waitingAt?.forget(self)
        waitingAt = nil
        tunnel?.clientGone()
        tunnel = nil
        abandonServer()
        pendingHead = nil
        undecided = nil
        if exchange.answerHasBegun, let request = dueRefresh { refreshAhead(request) }
        endRefreshing()
        // nginx's 499: no answer went out that could be counted instead.
        if wasUnderWay { finishRecord(status: exchange.answerHasBegun ? record.status : 499, at: worker.now()) }
    }

    final func endAttempt() {
        attempt?.attemptEnded()
        attempt = nil
    }

    /// The work that began at ``workBeganAt`` is done: the loop turns to others.
    final func endWork(at now: UInt64) {
        guard workBeganAt != 0 else { return }
        if now > workBeganAt &+ Worker.longestTurn { worker.noteStall(now - workBeganAt) }
        workBeganAt = 0
    }

    final func finishRecord(status: Int, at now: UInt64) {
        endWork(at: now)
        endAttempt()
        endRefreshing()
        record.status = status
        worker.finished(&record, peer: peer, at: now)
    }
}

extension ClientExchange: SlowStepClient {}

extension ClientExchange: WheelTimerTarget {
    func deadlineMet() { tooLate() }
}
