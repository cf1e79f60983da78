import HTTPCore
import NIOCore
import Tenants

/// From a whole head to a decision.
extension ClientExchange {
    /// - Parameters:
    ///   - head: As parsed from the start of `bytes`.
    ///   - version: What the client speaks; the head is in the form of HTTP/1.1 whatever it is.
    final func begin(_ head: RequestHead, _ bytes: ByteBuffer, version: HTTPVersion) {
        worker.headIsInUse()
        defer { worker.headIsDone() }
        headStamp = HeadStamp(head)
        let span = bytes.readableBytesUInt8Span
        setDeadline(nil)
        record = ExchangeRecord(startedAt: worker.now(), id: requestID(head, span))
        workBeganAt = record.startedAt
        record.note(head, span, version)
        if let tracing = worker.tracing { beginTrace(tracing, head, span) }
        requestFraming = head.framing
        bodyBytesReceived = 0
        handshake = nil
        exchange = Exchange(
            clientWantsKeepAlive: head.keepsAlive,
            expectsContinue: head.expectsContinue
        )
        sessionEnd = .notAsked
        circumstances.begin()
        beginRefreshing()
        allowedSteps = .all
        if isAnsweredAsQuestion(head, bytes) { return }
        // Not before: to a proxy that asks, the status is the decision.
        if version == .http2, record.method == .post { record.isGRPC = GRPCStatus.isRequest(head, span) }
        decide(head, bytes, isFirst: true, at: worker.unixTime(at: record.startedAt))
    }

    /// A slow step of the decision is done: the same request, from its head on, is decided on again.
    final func decideAgain() {
        guard !worker.isHeadInUse else { return decideLater() }
        guard let bytes = undecided, case .deciding = phase else { return }
        undecided = nil
        // The loop's head object has served other requests meanwhile.
        phase = .head
        if stepGeneration != worker.serving.generation { askAnew() }
        if worker.parser.parse(bytes.readableBytesUInt8Span, into: worker.requestHead) == .complete {
            worker.headIsInUse()
            headStamp = HeadStamp(worker.requestHead)
            // It may have waited for long, for a token that is younger than the request.
            let now = worker.now()
            workBeganAt = now
            decide(worker.requestHead, bytes, isFirst: false, at: worker.unixTime(at: now))
            worker.headIsDone()
        } else {
            refuse(.overloaded)
        }
        setReading(true)
        process()
    }

    private func decideLater() {
        let serial = serial
        worker.postpone { [self] in
            // The object may serve another request by then.
            if self.serial == serial { decideAgain() }
        }
    }

    /// Another configuration has come into force, and asks by itself. A proof was used up, and counts.
    private func askAnew() {
        allowedSteps = .all
        circumstances.introspected = nil
        circumstances.withoutRoom = []
    }

    /// - Parameters:
    ///   - isFirst: Whether the request was not decided on before.
    ///   - now: Unix seconds.
    private func decide(_ head: RequestHead, _ bytes: ByteBuffer, isFirst: Bool, at now: Double) {
        let span = bytes.readableBytesUInt8Span
        let serving = worker.serving
        switch serving.router.route(head, span) {
        case .refused(let refusal, let tenant):
            record.tenant = tenant
            prepareAnswer(tenant, head, span)
            worker.logRequest(&record, head, span, isBehindProxy: peer.isTrustedProxy)
            refuse(refusal)
        case .routed(let request):
            record.tenant = request.tenant
            prepareAnswer(request.tenant, head, span)
            worker.logRequest(&record, head, span, isBehindProxy: peer.isTrustedProxy)
            guard isCovered(request, span) else { return refuse(.misdirected) }
            if isFirst, let answer = serving.decision.admit(request, head, span, circumstances, at: now) {
                return conclude(answer, request, head, bytes)
            }
            if isTooLarge(request.tenant, head.framing) { return refuse(.payloadTooLarge) }
            if let endpoint = endpoint(request, span), !passesBy(endpoint, request, head, span) {
                return serve(endpoint, request, head, bytes)
            }
            let answer = serving.decision.decide(
                request,
                head,
                span,
                memory: tokenMemory,
                circumstances,
                allowing: allowedSteps,
                at: now
            )
            conclude(answer, request, head, bytes)
        }
    }

    private func conclude(
        _ decision: AccessDecision.Answer,
        _ request: RoutedRequest,
        _ head: RequestHead,
        _ bytes: ByteBuffer
    ) {
        let span = bytes.readableBytesUInt8Span
        switch decision {
        case .refused(let refusal): refuse(refusal)
        case .preflight(let preflight): answer(preflight)
        case .granted(let grant):
            record.outcome = grant.outcome
            record.caller = grant.caller
            if case .refused(let code) = grant.outcome {
                worker.note(code, circumstances.observed, grant, record.id, head, span)
            }
            if let caller = grant.signsOut { sessionEnd = .due(caller) }
            if grant.needsCaller { prepareRefresh(grant, head, span) }
            if request.tenant.capturesTokens { prepareCapture(request, span) }
            addFreshNonce()
            forward(grant, head, bytes)
        case .needs(let step):
            record.trace?.waits(for: step)
            allowedSteps = allowedSteps.after(step)
            stepGeneration = worker.serving.generation
            undecided = bytes
            phase = .deciding
            endWork(at: worker.now())
            guard !perform(step, request, head, span) else { return }
            // Where nobody has to be known, it goes on all the same.
            undecided = nil
            phase = .head
            circumstances.withoutRoom.formUnion(AllowedSteps(step))
            decide(head, bytes, isFirst: false, at: worker.unixTime(at: worker.now()))
        }
    }

    private func perform(
        _ step: SlowStep,
        _ request: RoutedRequest,
        _ head: RequestHead,
        _ bytes: Span<UInt8>
    ) -> Bool {
        switch step {
        case .signature(let check): worker.perform(check, for: self)
        case .keys(let question): worker.perform(question, for: self)
        case .introspection(let question): worker.perform(question, for: self)
        case .proof(let proof): worker.perform(proof, for: self)
        case .refresh(let caller): refreshExpired(caller, request, head, bytes)
        }
    }

    /// Whether the connection is one that the tenant's requests may come on.
    private func isCovered(_ request: RoutedRequest, _ bytes: Span<UInt8>) -> Bool {
        guard let tls = peer.tls else { return !request.tenant.needsClientCertificate }
        return tls.covers(request, bytes, worker.serving.router, worker.certificates)
    }

    /// A trusted proxy's identifier is kept, so that one request has one in all logs.
    private func requestID(_ head: RequestHead, _ bytes: Span<UInt8>) -> RequestID {
        if peer.isTrustedProxy {
            for index in 0..<head.fieldCount where head.fields[index].known == .xRequestID {
                if let id = RequestID(bytes.extracting(head.fields[index].value)) { return id }
            }
        }
        return worker.identifiers.requestID()
    }

    private func isTooLarge(_ tenant: TenantRuntime, _ framing: RequestFraming) -> Bool {
        guard let limit = tenant.tenant.limits.bodyBytes, case .length(let length) = framing else { return false }
        return length > limit
    }

    /// Takes note of a piece of the body. Gives whether there may be as much.
    final func bodyReceived(_ count: Int) -> Bool {
        bodyBytesReceived += count
        exchange.bodyBegan()
        guard let limit = record.tenant?.tenant.limits.bodyBytes else { return true }
        return bodyBytesReceived <= limit
    }

    final func passOn(_ piece: ByteBuffer, to server: ServerExchange) {
        if let kept { kept.keep(piece, room: &worker.replayRoom) }
        server.send(piece)
    }

    final func bodyTooLarge() {
        abandonServer()
        if exchange.awaitsAnswer { refuse(.payloadTooLarge, closing: true) } else { cut() }
    }

    /// The request is whole: its end goes to the server, with the trailers that decide nothing.
    ///
    /// - Parameter trailers: Lines that were parsed before, each with its CRLF.
    final func endRequest(_ server: ServerExchange, trailers: [UInt8]) {
        var lines = ByteBuffer()
        if !trailers.isEmpty {
            Trailers.write(trailers, to: &lines) { [record] field, bytes in
                record.tenant.map { $0.isIdentityField(field, bytes) || $0.isTokenHeader(field, bytes) } ?? false
            }
        }
        server.endBody(trailers: lines)
        kept?.bodyEnded(trailers: trailers)
        exchange.requestCompleted()
        phase = .answer
        server.flush(bodyFollows: true)
        server.requestSent(at: worker.now())
    }
}
