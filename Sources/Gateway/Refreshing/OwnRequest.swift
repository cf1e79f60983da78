import HTTPCore
import NIOCore
import SharedState

/// A request of the gateway's own to a tenant's backend. It goes the way of all requests: the same choice of a server,
/// the same TLS, the same protocol, the same strictness.
final class OwnRequest: ClientExchange {
    typealias Result = Swift.Result<RefreshHTTPResponse, RefreshTrouble>

    private var done: ((Result) -> Void)?
    private var content: [UInt8] = []
    private var deadline: Scheduled<Void>?

    /// - Parameter done: Told once.
    init(_ tenant: TenantRuntime, worker: Worker, done: @escaping (Result) -> Void) {
        self.done = done
        super.init(worker: worker, peer: Peer(nil, trustedProxies: []), tokenMemory: TokenMemory())
        record.tenant = tenant
    }

    /// - Parameter timeout: For everything.
    func begin(_ request: RefreshHTTPRequest, timeout: TimeAmount) {
        startTimer()
        let bound = NIOLoopBound(self, eventLoop: worker.eventLoop)
        deadline = worker.eventLoop.scheduleTask(in: timeout) { bound.value.finish(.failure(.timeout)) }
        exchange = Exchange(clientWantsKeepAlive: false, expectsContinue: false)
        record.method = .other
        if !request.body.isEmpty || request.method != "GET" {
            requestFraming = .length(request.body.count)
            bodyInHand = BodyInHand(content: ByteBuffer(bytes: request.body), trailers: [])
        }
        pendingHead = head(request)
        phase = .waitingForServer
        guard let pool = chooseServer() else { return finish(.failure(.network)) }
        switch pool.lease(for: self) {
        case .server(let server): sendPending(to: server)
        case .waiting: wait(at: pool)
        case .refused: finish(.failure(.overloaded))
        }
    }

    private func head(_ request: RefreshHTTPRequest) -> ByteBuffer {
        var head = worker.allocator.buffer(capacity: 1024)
        head.writeString("\(request.method) \(request.target) HTTP/1.1\r\nHost: ")
        head.writeBytes(request.host)
        head.writeString("\r\nX-Request-Id: ")
        head.writeRequestID(worker.identifiers.requestID())
        head.writeString("\r\n")
        for field in request.fields {
            head.writeString("\(field.name): ")
            head.writeBytes(field.value)
            head.writeString("\r\n")
        }
        if case .length(let length) = requestFraming { head.writeString("Content-Length: \(length)\r\n") }
        head.writeString("\r\n")
        return head
    }

    override var isOwn: Bool { true }

    private func finish(_ result: Result) {
        guard let done else { return }
        self.done = nil
        deadline?.cancel()
        phase = .closed
        endAttempt()
        retireTimer()
        waitingAt?.forget(self)
        waitingAt = nil
        pendingHead = nil
        abandonServer()
        done(result)
    }

    override func answerBegan(_ head: ResponseHead, _ bytes: Span<UInt8>, _ framing: ResponseFraming) {
        record.status = head.status
        _ = exchange.answerBegan(draining: false)
    }

    override func answerBody(_ bytes: ByteBuffer, _ range: Range<Int>) {
        guard content.count + range.count <= RefreshHTTPResponse.mostBytes else {
            // Where the status alone says no, it counts.
            guard 200..<300 ~= record.status else {
                return finish(.success(RefreshHTTPResponse(status: record.status, body: [])))
            }
            return finish(.failure(.tooLargeAnswer))
        }
        bytes.readableBytesUInt8Span.extracting(range).withUnsafeBufferPointer { content += $0 }
    }

    override func answerIsOut(_ completion: Exchange.Completion, at now: UInt64) {
        finish(.success(RefreshHTTPResponse(status: record.status, body: content)))
    }

    override func refuse(_ refusal: Refusal, closing: Bool) {
        finish(.failure(refusal.code == .backendTimeout ? .timeout : .network))
    }

    override func cut() { finish(.failure(.network)) }

    override func closeNow() { finish(.failure(.network)) }

    override func tooLate() { finish(.failure(.timeout)) }
}
