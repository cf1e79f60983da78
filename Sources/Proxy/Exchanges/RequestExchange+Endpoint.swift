import Authorization
import Counting
import HTTPCore
import IdentityProvider
import NIOCore
import Tenants
import Time
import Verification

/// Requests to the gateway's own endpoints, and sign-ins that it checks before the backend does.
extension RequestExchange {
    func serve(_ endpoint: Endpoint, _ request: RoutedRequest, _ bytes: Span<UInt8>) {
        let head = request.head
        let received = request.received
        guard let peer else { return failInternally("an endpoint without a client") }
        record.trace?.served(by: "\(endpoint)", at: worker.now())
        let reader = EndpointRequestReader(
            endpoint: endpoint,
            routed: request,
            head: head,
            peer: peer,
            trustedProxies: worker.settings.trustedProxies,
            requestID: record.id
        )
        guard let read = reader.read(bytes, at: worker.unixTime(at: record.startedAt)) else {
            return turnAway(received, .severalTokens)
        }
        let expectsContinue = lifecycle.body.awaitsContinue
        let forwards = request.tenant.forwardsSignIns(endpoint)
        let call = EndpointCall(read, received: forwards ? received : nil)
        guard advance({ $0.endpointTaken(call) }) != nil else { return }
        if forwards { received.keepHeadAlone() } else { worker.loop.spares.requests.giveBack(received) }
        // Waiting for the client's body or for the endpoint is no work of the loop.
        endWork(at: worker.now())
        guard !lifecycle.body.isComplete else { return callEndpoint(call) }
        beginBodyRate()
        guard expectsContinue, advance({ $0.continuePassedOn() }) != nil else { return }
        client?.writeContinue()
        updateBodyDeadline()
    }

    /// The request is complete. Use the time the body ended; otherwise a slow sender could keep an expired code valid.
    ///
    /// The caller goes on reading; doing so here would deepen the stack with each pipelined request.
    func callEndpoint(_ call: EndpointCall) {
        call.request.now = worker.unixTime(at: worker.now())
        setDeadline(EndpointCall.patience)
        if !worker.callEndpoint(call.request, for: self) { refuse(.overloaded) }
    }

    // MARK: What the endpoint says

    func endpointAnswered(_ answer: EndpointResult) {
        guard let call = lifecycle.endpointCall, let tenant else { return }
        switch answer {
        case .response(let response):
            if let subject = response.subject {
                record.user.signedIn = JSONText.escaped(subject)
                record.outcome = .granted
            }
            respond(GatewayResponse(response))
            goOn()
        case .refused(let refusal):
            let reason = Refusal(refusal)
            if tenant.tenant.mode == .observe, tenant.runtime.forwardsSignIns(call.endpoint) {
                return passOn(CheckedSignIn(observed: reason.code), call)
            }
            if !refusal.fields.isEmpty {
                style.fields = [.noStore] + refusal.fields.map { HeaderField($0.name, $0.value) }
            }
            refuse(reason)
            goOn()
        case .forward(let signIn):
            // A notification is no sign-in: its account may just have been deleted.
            let registers = tenant.tenant.accounts.role != nil && call.endpoint != .appleNotifications
            passOn(CheckedSignIn(signIn, registers: registers), call)
        }
    }

    /// Sends the unchanged request on to the backend.
    private func passOn(_ signIn: CheckedSignIn, _ call: EndpointCall) {
        let hasBody = lifecycle.body.framing != .none
        let content = hasBody ? BufferedBody(ByteBuffer(bytes: call.request.body)) : nil
        guard let received = advance({ $0.endpointPassedOn(content) }) else { return }
        let buffer = received.bytes
        // The body is complete: the server need not send 100 Continue.
        var rewriter = HeadRewriter()
        rewriter.dropExpectation(received.head)
        guard let request = read(rewriter.rewritten(received.head, buffer.readableBytesUInt8Span)) else {
            // It was parsed before; but a new configuration may have smaller limits.
            turnAway(received, Refusal(.headTooLarge))
            return goOn()
        }
        worker.loop.spares.requests.giveBack(received)
        decisionContext.signIn = signIn
        setDeadline(nil)
        decideAgain(request)
    }
}

extension GatewayResponse {
    init(_ response: EndpointResponse) {
        let fields = response.fields.map { HeaderField($0.name, $0.value) }
        self.init(status: response.status, unindexedFields: fields, body: response.body)
    }
}
