import Authorization
import Counting
import HTTPCore
import NIOCore
import Tenants
import Time
import Upstream

/// Forwards a granted request to a server.
extension RequestExchange {
    func forward(_ grant: Grant, _ holds: ResponseHolds, _ bytes: Span<UInt8>) {
        let received = grant.request.received
        let keepsRequest = holds.keepsRequest
        send(grant, received.head, holds, bytes)
        if !keepsRequest { worker.loop.spares.requests.giveBack(received) }
    }

    private func send(_ grant: Grant, _ head: RequestHead, _ holds: ResponseHolds, _ bytes: Span<UInt8>) {
        guard let peer, let tenant else { return failInternally("a grant without a client or a tenant") }
        let handshake: WebSocketUpgrade?
        do throws(HTTPViolation) {
            handshake = try self.handshake(head, bytes)
        } catch {
            return refuse(Refusal(error))
        }
        guard let backend = chooseBackend(grant, tenant) else {
            return failInternally("a request to forward has no backend")
        }
        record.upstream.backend = backend
        // A constant: the closure below would copy a variable on each read.
        let context = forwardingContext(tenant, peer, handshake, grant.outcome, wantsPlainAnswer: holds.wantsCapture)
        let route = record.route
        if let rules = route?.mirror { beginMirror(rules, grant, bytes, tenant, context) }
        guard advance({ $0.granted(holds) }) != nil else { return }
        let details = UpstreamRequest.Details(
            framing: head.framing,
            method: record.request.method,
            handshake: handshake,
            caller: grant.caller,
            servers: backend,
            overrides: route?.overrides
        )
        let outcome = upstream.begin(details, for: self) { (buffer: consuming ByteBuffer) in
            ForwardedHead(grant, bytes, context, in: buffer)
        }
        switch outcome {
        case .sent: sendRequest(at: noteForwarded())
        case .waiting:
            _ = noteForwarded()
            setDeadline(upstream.waitingTimeout)
        case .failed(let failure): refuse(failure)
        }
    }

    /// The log says what is wrong with which server, which is none of the client's business.
    private func refuse(_ failure: UpstreamFailure) {
        let refusal = Refusal(failure)
        guard failure == .unavailable, !record.request.logFragment.isEmpty,
            let trouble = record.upstream.backend?.trouble
        else {
            return refuse(refusal)
        }
        refuse(refusal, reason: "\(refusal.detail): \(trouble)")
    }

    private func forwardingContext(
        _ tenant: ServedTenant,
        _ peer: Peer,
        _ handshake: WebSocketUpgrade?,
        _ outcome: Outcome,
        wantsPlainAnswer: Bool
    ) -> ForwardingContext {
        let loop = worker.loop
        var context = ForwardingContext(
            rules: tenant.forwarding,
            peer: peer,
            requestID: record.id,
            traceID: (loop.identifiers.next(), loop.identifiers.next()),
            spanID: loop.identifiers.next() | 1,
            version: record.request.version,
            handshake: handshake,
            wantsPlainAnswer: wantsPlainAnswer
        )
        if let trace = record.trace { context.continues(trace, outcome, at: worker.now()) }
        return context
    }

    /// - Throws: What is wrong with a WebSocket handshake.
    /// - Returns: Nil if the request is no handshake.
    private func handshake(_ head: RequestHead, _ bytes: Span<UInt8>) throws(HTTPViolation) -> WebSocketUpgrade? {
        guard head.hasUpgrade else { return nil }
        let lacksKey = record.request.version == .http2
        return try WebSocketUpgrade(head, bytes, lacksKey: lacksKey, &worker.loop.identifiers)
    }

    /// The head for the server is written. Returns the current time.
    private func noteForwarded() -> MonotonicTime {
        let now = worker.now()
        // For a replayed request the first forwarding counts: the wait since then is not gateway overhead.
        if record.upstream.forwardedAt == .distantPast { record.upstream.forwardedAt = now }
        endWork(at: now)
        return now
    }

    /// A server has the head: sends the rest of the request.
    private func sendRequest(at now: MonotonicTime) {
        guard let server = upstream.server, let body = advance({ $0.serverTaken() }) else { return }
        record.upstream.server = server.pool
        record.trace?.took(server.pool)
        switch body {
        case .atHand(let content):
            if content.bytes.readableBytes > 0 { server.send(content.bytes) }
            endRequest(server, trailers: content.trailers)
        case .fromClient: beginBodyRate()
        case .complete:
            server.flush(bodyFollows: false)
            server.requestSent(at: now)
        }
    }
}

extension Refusal {
    init(_ failure: UpstreamFailure) {
        self =
            switch failure {
            case .unavailable: .backendUnavailable
            case .brokeOff: .backendBroke
            case .timeout: .backendTimeout
            case .overloaded: .overloaded
            }
    }
}

// MARK: Events of the upstream request

extension RequestExchange {
    func serverTaken() {
        setDeadline(nil)
        sendRequest(at: worker.now())
        if case .streaming = lifecycle.state, !lifecycle.body.isComplete { goOn() }
    }

    func triesAgain(within timeout: UInt64) {
        if case .streaming = lifecycle.state, advance({ $0.triesAgain() }) == nil { return }
        setDeadline(timeout)
    }

    func lostAttempt(at pool: ServerPool, _ reason: StaticString) {
        record.trace?.lost(pool, reason, at: worker.now())
    }

    func failed(_ failure: UpstreamFailure) {
        switch lifecycle.serverLost() {
        case .refuse:
            refuse(failure)
            goOn()
        case .cut: cut()
        case .endTunnel: lifecycle.tunnel?.serverGone()
        case .nothing: break
        }
    }

    func serverWritabilityChanged(_ isWritable: Bool) {
        switch lifecycle.state {
        case .streaming, .holding:
            guard !lifecycle.body.isComplete else { return }
            client?.setReading(isWritable)
            // Also if it takes no more: then the client is not waited for.
            if takesResponse { updateBodyDeadline() }
        case .tunnel: client?.setReading(isWritable)
        case .receivingHead, .deciding, .waitingForServer, .finishing, .done, .broken: break
        }
    }
}
