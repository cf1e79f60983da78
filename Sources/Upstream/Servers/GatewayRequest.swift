package import Authorization
package import Counting
package import HTTPCore
package import NIOCore
import Tenants
package import Time

/// A request of the gateway's own to a backend: a health check, a refresh call, or the copy of a client's request. It takes the path of all requests,
/// so that it meets the same TLS, the same protocol and the same strictness.
package final class GatewayRequest {
    package struct Response: Equatable {
        package var status: Int
        package var body: [UInt8]
    }

    package enum Failure: Error, Equatable {
        case timeout
        case overloaded
        case network
        case tooLargeResponse
    }

    /// How much of a response is needed.
    package enum Wanted: Equatable {
        /// Nothing but its end: the response is read and dropped, so that the connection can be used again.
        case nothing
        case status
        /// - Parameter most: The maximum in bytes.
        case body(most: Int)
    }

    private enum State {
        /// Waiting for the response's head.
        case waiting((Result<Response, Failure>) -> Void)
        case receiving(Response, (Result<Response, Failure>) -> Void)
        case done
    }

    private let loop: LoopContext
    private let upstream: UpstreamRequest
    private let wanted: Wanted
    private let timer = WheelTimer()
    private var state: State
    private var requestBody: [UInt8] = []

    /// - Parameter done: Called once.
    package init(loop: LoopContext, wants wanted: Wanted, done: @escaping (Result<Response, Failure>) -> Void) {
        self.loop = loop
        self.wanted = wanted
        state = .waiting(done)
        upstream = UpstreamRequest(loop: loop)
    }

    /// - Parameters:
    ///   - body: Nil for a request without one.
    ///   - framing: Nil: by the body's length.
    ///   - method: Of the client's request that it is a copy of; nil for all others.
    ///   - servers: The servers to choose from; nil to use `pool`.
    ///   - timeout: For the whole exchange, in nanoseconds.
    package func begin(
        _ head: ForwardedHead,
        body: [UInt8]? = nil,
        framing: RequestFraming? = nil,
        copyOf method: CountedMethod? = nil,
        at servers: BackendServers?,
        only pool: ServerPool? = nil,
        timeout: UInt64
    ) {
        requestBody = body ?? []
        timer.target = self
        loop.timers.set(timer, loop.now() + timeout)
        let details = UpstreamRequest.Details(
            framing: framing ?? body.map { .length($0.count) } ?? .none,
            method: method ?? .other,
            servers: servers,
            origin: method == nil ? .gateway : .copy
        )
        switch upstream.begin(details, only: pool, for: self, head: { (_: consuming ByteBuffer) in head }) {
        case .sent: serverTaken()
        case .waiting: break
        case .failed(let failure): failed(failure)
        }
    }

    private func finish(_ result: Result<Response, Failure>) {
        let done: (Result<Response, Failure>) -> Void
        switch state {
        case .waiting(let then), .receiving(_, let then): done = then
        case .done: return
        }
        state = .done
        loop.timers.retire(timer)
        upstream.abandon()
        done(result)
    }
}

extension GatewayRequest: WheelTimerTarget {
    package func deadlineMet() { finish(.failure(.timeout)) }
}

extension GatewayRequest: UpstreamRequestOwner {
    package var clientName: SubjectName? { nil }
    package var takesResponse: Bool { true }

    package func serverTaken() {
        guard let server = upstream.server else { return }
        let hasBody = upstream.details.framing != .none
        if !requestBody.isEmpty { server.send(ByteBuffer(bytes: requestBody)) }
        if hasBody { server.endBody(trailers: ByteBuffer()) }
        server.flush(bodyFollows: hasBody)
        server.requestSent(at: loop.now())
    }

    /// The timeout covers all tries.
    package func triesAgain(within timeout: UInt64) {}

    /// The pool counts it; gateway requests are not traced.
    package func lostAttempt(at pool: ServerPool, _ reason: StaticString) {}

    package func failed(_ failure: UpstreamFailure) {
        switch failure {
        case .timeout: finish(.failure(.timeout))
        case .overloaded: finish(.failure(.overloaded))
        case .unavailable, .brokeOff: finish(.failure(.network))
        }
    }

    /// The body was handed over as a whole.
    package func serverWritabilityChanged(_ isWritable: Bool) {}

    /// Interim responses are ignored.
    package func interim(_ response: ReceivedResponse) {}

    package func holds(_ response: ReceivedResponse) -> Bool { false }

    package var takesHeldResponse: Bool { false }

    package func takeHeldResponse(_ response: ReceivedResponse) {
        loop.failedInternally(.upstreamRequest, "a response to the gateway itself is held")
        finish(.failure(.network))
    }

    package func responseStarted(_ response: ReceivedResponse, _ framing: ResponseFraming) {
        guard case .waiting(let done) = state else { return }
        let response = Response(status: response.head.status, body: [])
        state = .receiving(response, done)
        if wanted == .status { finish(.success(response)) }
    }

    package func responseBody(_ bytes: ByteBuffer, _ range: Range<Int>) {
        guard case .receiving(var response, let done) = state, case .body(let most) = wanted else { return }
        guard response.body.count + range.count <= most else {
            // A status that is no success is decisive.
            guard 200..<300 ~= response.status else {
                return finish(.success(Response(status: response.status, body: [])))
            }
            return finish(.failure(.tooLargeResponse))
        }
        // Release the old state first, so that the body is appended to in place and not copied.
        state = .waiting(done)
        bytes.readableBytesUInt8Span.extracting(range).withUnsafeBufferPointer { response.body += $0 }
        state = .receiving(response, done)
    }

    package func responseEnded(serverKeepsAlive: Bool, trailers: [UInt8], at now: MonotonicTime) -> Bool {
        upstream.end()
        switch state {
        case .receiving(let response, _): finish(.success(response))
        case .waiting, .done: finish(.failure(.network))
        }
        return serverKeepsAlive
    }

    /// The body is gathered.
    package func flushResponse() {}

    /// Nothing follows.
    package func resume() {}

    /// It asks for no upgrade.
    package func switched(_ response: ReceivedResponse) { finish(.failure(.network)) }

    /// It has no tunnel.
    package func tunnelReceived(_ bytes: ByteBuffer) { finish(.failure(.network)) }

    package func receiveWindow(outstanding: Int, share: inout Int) -> Int {
        ReceiveWindows.window(outstanding: outstanding)
    }

    /// It has no share of a client connection's window.
    package func giveBackReceiveWindow(_ share: inout Int) {}

    /// The gateway never delays its server.
    package var mayYieldPlace: Bool { false }
    package var isResponding: Bool {
        switch state {
        case .receiving: true
        case .waiting, .done: false
        }
    }

    package func rateForServer(at now: MonotonicTime) -> Double { .infinity }

    /// See ``mayYieldPlace``.
    package func yieldPlace() {}
}
