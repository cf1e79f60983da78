import Counting
import HTTPCore
import Issuing
import NIOCore
import Tenants
import Verification

/// Requests that the gateway answers itself, and those that it checks before the backend does.
extension ClientExchange {
    /// Which endpoint the request is for, in either reading of its path: a backend that merges slashes must not be reached
    /// round a check.
    final func endpoint(_ request: RoutedRequest, _ bytes: Span<UInt8>) -> Endpoint? {
        let table = request.tenant.endpoints
        guard !table.isEmpty, checkedSignIn == nil, request.path != .ambiguous else { return nil }
        var found: Endpoint?
        _ = worker.serving.router.inAnyReading(request, bytes) { path in
            found = table.endpoint(at: path)
            return found != nil
        }
        return found
    }

    /// - Parameter bytes: The head.
    final func serve(_ endpoint: Endpoint, _ request: RoutedRequest, _ head: RequestHead, _ bytes: ByteBuffer) {
        let span = bytes.readableBytesUInt8Span
        if let refusal = refusal(of: endpoint, head, span) { return refuse(refusal) }
        record.trace?.served(by: "\(endpoint)", at: worker.now())
        let question = EndpointQuestion(
            endpoint: endpoint,
            routed: request,
            head: head,
            peer: peer,
            trustedProxies: worker.settings.trustedProxies,
            requestID: record.id
        )
        guard let read = question.read(span, at: worker.unixTime(at: record.startedAt)) else {
            return refuse(.severalTokens)
        }
        if request.tenant.forwardsSignIns(endpoint) { signInHead = Self.copy(span.extracting(0..<head.length)) }
        let server = EndpointExchange(read, answersHead: record.method == .head, worker: worker)
        self.server = server
        server.client = self
        exchange.serverTaken(mayRetry: false)
        let now = worker.now()
        // What it waits for, the client's body or an answer that is made elsewhere, is no work of the loop.
        endWork(at: now)
        guard requestFraming == .none else {
            phase = .body
            beginBodyRate()
            if head.expectsContinue { sendContinue() }
            return
        }
        exchange.requestCompleted()
        phase = .answer
        server.requestSent(at: now)
    }

    private static func copy(_ bytes: Span<UInt8>) -> ByteBuffer {
        var buffer = ByteBuffer()
        buffer.writeBytes(bytes.bytes)
        return buffer
    }

    /// Whether a request at the path of an endpoint that forwards goes by the tenant's rules instead: what it asks of the
    /// backend is no sign-in, or observe mode lets through what would be refused.
    final func passesBy(
        _ endpoint: Endpoint,
        _ request: RoutedRequest,
        _ head: RequestHead,
        _ bytes: Span<UInt8>
    ) -> Bool {
        guard request.tenant.forwardsSignIns(endpoint) else { return false }
        // A browser asks first whether it may send one (Fetch section 3.2.2), and asks the app.
        if record.method == .options, requestFraming == .none { return true }
        guard request.tenant.tenant.mode == .observe, let refusal = refusal(of: endpoint, head, bytes) else {
            return false
        }
        checkedSignIn = CheckedSignIn(observed: refusal.code)
        return true
    }

    /// What is wrong with the head of a request for an endpoint.
    private func refusal(of endpoint: Endpoint, _ head: RequestHead, _ bytes: Span<UInt8>) -> Refusal? {
        let methods = endpoint.methods
        guard methods.contains(where: { bytes.isEqual(head.method, to: $0) }) else { return .methodNotAllowed(methods) }
        if case .length(let length) = head.framing, length > EndpointExchange.mostBytes { return .payloadTooLarge }
        return BodyReadingFields.refusal(head, bytes)
    }

    private func sendContinue() {
        let interim = ByteBuffer(string: "HTTP/1.1 100 Continue\r\n\r\n")
        let head = worker.responseHead
        if worker.responseParser.parse(interim.readableBytesUInt8Span, into: head) == .complete {
            self.interim(head, interim.readableBytesUInt8Span)
        }
    }

    // MARK: What the endpoint says

    /// - Parameter bytes: The answer from its head to its end.
    final func endpointAnswered(_ bytes: ByteBuffer) {
        server = nil
        guard exchange.awaitsAnswer else { return }
        let head = worker.responseHead
        guard worker.responseParser.parse(bytes.readableBytesUInt8Span, into: head) == .complete else {
            refuse(.overloaded)
            return proceed()
        }
        exchange.serverSpoke()
        let (length, framing) = (head.length, head.framing(answeringHead: record.method == .head))
        answerShape?.isOurs = true
        answerBegan(head, bytes.readableBytesUInt8Span, framing)
        if length < bytes.readableBytes { answerBody(bytes, length..<bytes.readableBytes) }
        _ = completeAnswer(serverKeepsAlive: false, trailers: [], at: worker.now())
        if case .closed = phase { return }
        proceed()
    }

    final func endpointRefused(_ refusal: Refusal) {
        turnAway(refusal)
        proceed()
    }

    /// Refuses what the endpoint was to answer, for a caller that goes on itself.
    final func turnAway(_ refusal: Refusal) {
        abandonServer()
        refuse(refusal)
    }

    /// What came of a question to an endpoint.
    final func endpointTold(_ answer: EndpointAnswer, _ server: EndpointExchange) {
        guard server === self.server, let tenant = record.tenant else { return }
        switch answer {
        case .response(let response):
            if let subject = response.subject {
                record.signedIn = JSONText.escaped(subject)
                record.outcome = .granted
            }
            server.answer(response)
        case .refused(let refusal):
            let refusal = (refusal: Refusal(refusal), fields: refusal.fields)
            if tenant.tenant.mode == .observe, tenant.forwardsSignIns(server.endpoint) {
                return goOn(CheckedSignIn(observed: refusal.refusal.code), with: server)
            }
            if !refusal.fields.isEmpty { answerLines = Self.lines(refusal.fields) }
            endpointRefused(refusal.refusal)
        case .forward(let signIn):
            // An event is no sign-in: whoever it is about may just have left.
            let registers = tenant.tenant.accounts.role != nil && server.endpoint != .appleNotifications
            goOn(CheckedSignIn(signIn, registers: registers), with: server)
        }
    }

    private static func lines(_ fields: [EndpointResponse.Field]) -> [UInt8] {
        Array("Cache-Control: no-store\r\n".utf8) + fields.flatMap { Array("\($0.name): \($0.value)\r\n".utf8) }
    }

    /// The untouched request goes on its way to the backend.
    private func goOn(_ signIn: CheckedSignIn, with server: EndpointExchange) {
        let body = server.body
        abandonServer()
        guard let received = signInHead else { return endpointRefused(.overloaded) }
        signInHead = nil
        checkedSignIn = signIn
        if requestFraming != .none { bodyInHand = BodyInHand(content: ByteBuffer(bytes: body), trailers: []) }
        let head = worker.keptHead
        guard worker.parser.parse(received.readableBytesUInt8Span, into: head) == .complete else {
            return endpointRefused(.overloaded)
        }
        // The body is at hand: nobody has to be asked to go on.
        var rewriter = HeadRewriter()
        rewriter.dropExpectation(head)
        undecided = rewriter.rewritten(head, received.readableBytesUInt8Span)
        phase = .deciding
        decideAgain()
    }

    // MARK: The backend's answer to a checked sign-in

    /// Whether the answer that has just begun waits until the account's role is on record: from then on the other app of
    /// the realm knows it.
    final func holdsForRegistration(status: Int) -> Bool {
        guard let signIn = checkedSignIn else { return false }
        switch signIn.registration {
        case .notNeeded, .done: return false
        case .underWay: return true
        case .due(let identity):
            guard 200..<300 ~= status, let tenant = record.tenant else {
                checkedSignIn?.registration = .notNeeded
                return false
            }
            checkedSignIn?.registration = .underWay
            worker.register(identity, tenant, for: self)
            return true
        }
    }

    final func registered() {
        guard case .underWay = checkedSignIn?.registration else { return }
        checkedSignIn?.registration = .done
        server?.resumeAnswer()
    }
}

extension Refusal {
    init(_ refusal: EndpointRefusal) {
        self.init(
            RefusalCode(refusal.code),
            status: refusal.status,
            detail: refusal.detail,
            retryAfterSeconds: refusal.retryAfterSeconds
        )
    }

    static func methodNotAllowed(_ methods: [String]) -> Refusal {
        var refusal = Refusal(
            .badRequest,
            status: 405,
            detail: "this endpoint takes \(methods.joined(separator: " and "))"
        )
        refusal.allowedMethods = methods
        return refusal
    }
}

extension RefusalCode {
    init(_ code: EndpointRefusal.Code) {
        self =
            switch code {
            case .missingToken: .missingToken
            case .invalidToken: .invalidToken
            case .tokenExpired: .tokenExpired
            case .tokenRevoked: .tokenRevoked
            case .rateLimited: .rateLimited
            case .crossSiteRequest: .crossSiteRequest
            case .backendUnavailable: .backendUnavailable
            case .backendTimeout: .backendTimeout
            case .overloaded: .overloaded
            case .storeUnavailable: .storeUnavailable
            case .badRequest: .badRequest
            }
    }
}
