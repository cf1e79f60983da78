import Counting
import HTTPCore
import NIOCore
import Tenants
import Time

/// A request of the gateway's own to a backend: a health check, or a call for new tokens. It goes the way of all requests,
/// so that it finds what they would find: the same TLS, the same protocol, the same strictness.
final class GatewayRequest {
    struct Response: Equatable {
        var status: Int
        var body: [UInt8]
    }

    enum Failure: Error, Equatable {
        case timeout
        case overloaded
        case network
        case tooLargeResponse
    }

    /// How much of a response is waited for.
    enum Wanted: Equatable {
        case status
        /// - Parameter most: Bytes of it.
        case body(most: Int)
    }

    private let worker: Worker
    private let upstream: UpstreamRequest
    private let wanted: Wanted
    private let timer = WheelTimer()
    private var done: ((Result<Response, Failure>) -> Void)?
    private var requestBody: [UInt8] = []
    private var response: Response?

    /// - Parameter done: Told once.
    init(worker: Worker, wants wanted: Wanted, done: @escaping (Result<Response, Failure>) -> Void) {
        self.worker = worker
        self.wanted = wanted
        self.done = done
        upstream = UpstreamRequest(worker: worker)
    }

    /// - Parameters:
    ///   - body: Nil for a request without one.
    ///   - servers: Any of which is asked; nil: `pool` is.
    ///   - timeout: For everything, in nanoseconds.
    func begin(
        _ head: ForwardedHead,
        body: [UInt8]? = nil,
        at servers: BackendServers?,
        only pool: ServerPool? = nil,
        timeout: UInt64
    ) {
        requestBody = body ?? []
        timer.target = self
        worker.timers.set(timer, worker.now() + timeout)
        let details = UpstreamRequest.Details(
            framing: body.map { .length($0.count) } ?? .none,
            servers: servers,
            isGatewayOwn: true
        )
        switch upstream.begin(details, only: pool, for: self, head: { (_: consuming ByteBuffer) in head }) {
        case .sent: serverTaken()
        case .waiting: break
        case .failed(let failure): failed(failure)
        }
    }

    private func finish(_ result: Result<Response, Failure>) {
        guard let done else { return }
        self.done = nil
        worker.timers.retire(timer)
        upstream.abandon()
        done(result)
    }
}

extension GatewayRequest: WheelTimerTarget {
    func deadlineMet() { finish(.failure(.timeout)) }
}

extension GatewayRequest: UpstreamRequestOwner {
    var clientName: SubjectName? { nil }
    var takesResponse: Bool { true }

    func serverTaken() {
        guard let server = upstream.server else { return }
        let hasBody = upstream.details.framing != .none
        if !requestBody.isEmpty { server.send(ByteBuffer(bytes: requestBody)) }
        if hasBody { server.endBody(trailers: ByteBuffer()) }
        server.flush(bodyFollows: hasBody)
        server.requestSent(at: worker.now())
    }

    /// The timeout is for everything.
    func triesAgain(within timeout: UInt64) {}

    /// The pool counts it; there is no trace of it.
    func lostAttempt(at pool: ServerPool, _ reason: StaticString) {}

    func failed(_ failure: UpstreamFailure) {
        switch failure {
        case .timeout: finish(.failure(.timeout))
        case .overloaded: finish(.failure(.overloaded))
        case .unavailable, .brokeOff: finish(.failure(.network))
        }
    }

    /// The body was handed over as a whole.
    func serverWritabilityChanged(_ isWritable: Bool) {}

    /// Nobody waits for one.
    func interim(_ response: ReceivedResponse) {}

    func holds(_ response: ReceivedResponse) -> Bool { false }

    var takesHeldResponse: Bool { false }

    func takeHeldResponse(_ response: ReceivedResponse) {
        worker.failedInternally(.upstreamRequest, "a response to the gateway itself is held")
        finish(.failure(.network))
    }

    func responseStarted(_ response: ReceivedResponse, _ framing: ResponseFraming) {
        let response = Response(status: response.head.status, body: [])
        self.response = response
        if wanted == .status { finish(.success(response)) }
    }

    func responseBody(_ bytes: ByteBuffer, _ range: Range<Int>) {
        guard var response, case .body(let most) = wanted else { return }
        guard response.body.count + range.count <= most else {
            // Where the status alone says no, it counts.
            guard 200..<300 ~= response.status else {
                return finish(.success(Response(status: response.status, body: [])))
            }
            return finish(.failure(.tooLargeResponse))
        }
        self.response = nil
        bytes.readableBytesUInt8Span.extracting(range).withUnsafeBufferPointer { response.body += $0 }
        self.response = response
    }

    func responseEnded(serverKeepsAlive: Bool, trailers: [UInt8], at now: MonotonicTime) -> Bool {
        upstream.end()
        finish(response.map { .success($0) } ?? .failure(.network))
        return serverKeepsAlive
    }

    /// It is gathered.
    func flushResponse() {}

    /// Nothing follows.
    func resume() {}

    /// It asks for no upgrade.
    func switched(_ response: ReceivedResponse) { finish(.failure(.network)) }

    /// It has no tunnel.
    func tunnelReceived(_ bytes: ByteBuffer) { finish(.failure(.network)) }

    func receiveWindow(outstanding: Int, share: inout Int) -> Int { ReceiveWindows.window(outstanding: outstanding) }

    /// It has no share of a client's.
    func giveBackReceiveWindow(_ share: inout Int) {}

    /// The server is waited for, never the gateway.
    var mayYieldPlace: Bool { false }
    var isResponding: Bool { response != nil }

    func rateForServer(at now: MonotonicTime) -> Double { .infinity }

    /// See ``mayYieldPlace``.
    func yieldPlace() {}
}
