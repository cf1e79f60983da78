import HTTPCore
import NIOCore
import Tenants

/// From a whole head to a decision.
extension RequestExchange {
    /// - Parameters:
    ///   - bytes: Those of the request.
    ///   - isFirst: Whether the request was not decided on before.
    ///   - now: Unix seconds.
    func decide(_ request: ReceivedRequest, _ bytes: Span<UInt8>, isFirst: Bool, at now: Double) {
        let serving = worker.serving
        let isTrusted = peer?.isTrustedProxy == true
        switch serving.router.route(request, bytes) {
        case .refused(let refusal, let tenant):
            record.tenant = tenant
            prepareResponse(tenant, request.head, bytes)
            worker.logRequest(&record, request.head, bytes, isBehindProxy: isTrusted)
            turnAway(request, refusal)
        case .routed(let routed):
            record.tenant = routed.tenant
            prepareResponse(routed.tenant, request.head, bytes)
            worker.logRequest(&record, request.head, bytes, isBehindProxy: isTrusted)
            guard isCovered(routed, bytes) else { return turnAway(request, .misdirected) }
            if isFirst, let answer = serving.decision.admit(routed, request.head, bytes, circumstances, at: now) {
                return conclude(answer, routed, bytes)
            }
            if isTooLarge(routed) { return turnAway(request, .payloadTooLarge) }
            if let endpoint = endpoint(routed, bytes), !passesBy(endpoint, routed, bytes) {
                return serve(endpoint, routed, bytes)
            }
            let answer = serving.decision.decide(
                routed,
                request.head,
                bytes,
                memory: client?.tokenMemory,
                circumstances,
                allowing: lifecycle.allowedSteps,
                at: now
            )
            conclude(answer, routed, bytes)
        }
    }

    private func conclude(_ decision: AccessDecision.Answer, _ request: RoutedRequest, _ bytes: Span<UInt8>) {
        switch decision {
        case .refused(let refusal): turnAway(request.received, refusal)
        case .preflight(let preflight):
            worker.requests.giveBack(request.received)
            record.outcome = .anonymous
            respondUnshaped(GatewayResponse(status: 204, lines: preflight.lines))
        case .granted(let grant): granted(grant, bytes)
        case .needs(let step): wait(for: step, request, bytes)
        }
    }

    /// Refuses a request of which nothing more is needed.
    func turnAway(_ request: ReceivedRequest, _ refusal: Refusal) {
        worker.requests.giveBack(request)
        refuse(refusal)
    }

    private func granted(_ grant: Grant, _ bytes: Span<UInt8>) {
        record.outcome = grant.outcome
        record.caller = grant.caller
        if case .refused(let code) = grant.outcome {
            worker.note(code, circumstances.observed, grant, record.id, grant.request.head, bytes)
        }
        var kept: KeptRequest?
        if grant.needsCaller, lifecycle.allowedSteps.contains(.refresh) { kept = prepareRefresh(grant, bytes) }
        addFreshNonce()
        forward(grant, holds(grant, kept, bytes), bytes)
    }

    private func holds(_ grant: Grant, _ kept: KeptRequest?, _ bytes: Span<UInt8>) -> ResponseHolds {
        let capturesTokens = grant.request.tenant.capturesTokens
        // Nearly all requests.
        if kept == nil, !capturesTokens, grant.signsOut == nil, circumstances.signIn == nil { return .none }
        return ResponseHolds(
            refresh: kept,
            capture: capturesTokens ? captureRule(grant.request, bytes) : nil,
            registration: circumstances.signIn?.registers,
            signOut: grant.signsOut
        )
    }

    // MARK: Slow steps

    private func wait(for step: SlowStep, _ request: RoutedRequest, _ bytes: Span<UInt8>) {
        record.trace?.waits(for: step)
        let generation = worker.serving.generation
        lifecycle.waits(request.received, for: AllowedSteps(step), generation: generation)
        endWork(at: worker.now())
        guard !perform(step, request, bytes) else { return }
        // Where nobody has to be known, it goes on all the same.
        guard lifecycle.stepEnded(generation: generation) != nil else { return }
        circumstances.withoutRoom.formUnion(AllowedSteps(step))
        decide(request.received, bytes, isFirst: false, at: worker.unixTime(at: worker.now()))
    }

    private func perform(_ step: SlowStep, _ request: RoutedRequest, _ bytes: Span<UInt8>) -> Bool {
        switch step {
        case .signature(let check): worker.perform(check, for: self)
        case .keys(let question): worker.perform(question, for: self)
        case .introspection(let question): worker.perform(question, for: self)
        case .proof(let proof): worker.perform(proof, for: self)
        case .refresh(let caller): refreshExpired(caller, request, bytes)
        }
    }

    /// The same request, from its head on, is decided on again: it may have waited for long, for a token that is younger
    /// than it.
    func decideAgain(_ request: ReceivedRequest) {
        let now = worker.now()
        workBeganAt = now
        let buffer = request.bytes
        decide(request, buffer.readableBytesUInt8Span, isFirst: false, at: worker.unixTime(at: now))
        goOn()
    }

    /// On to what the client sent meanwhile.
    func goOn() {
        endIfBroken()
        client?.setReading(true)
        client?.resume()
    }

    // MARK: Checks that need no caller

    /// Whether the connection is one that the tenant's requests may come on.
    private func isCovered(_ request: RoutedRequest, _ bytes: Span<UInt8>) -> Bool {
        guard let tls = peer?.tls else { return !request.tenant.needsClientCertificate }
        return tls.covers(request, bytes, worker.serving.router, worker.certificates)
    }

    private func isTooLarge(_ request: RoutedRequest) -> Bool {
        guard let limit = request.tenant.tenant.limits.bodyBytes, case .length(let length) = request.head.framing
        else { return false }
        return length > limit
    }

    /// Takes note of what becomes of the response's fields, while the request's are at hand.
    private func prepareResponse(_ tenant: TenantRuntime?, _ head: RequestHead, _ bytes: Span<UInt8>) {
        if let rules = tenant?.answerRules, let peer { style.shape = rules.shape(head, bytes, peer) }
    }
}

extension RequestExchange: SlowStepClient {
    /// The step is done.
    func stepEnded() {
        guard let (request, isSameConfiguration) = lifecycle.stepEnded(generation: worker.serving.generation) else {
            return
        }
        if !isSameConfiguration {
            // Another configuration asks by itself. A proof was used up, and counts.
            circumstances.introspected = nil
            circumstances.withoutRoom = []
        }
        decideAgain(request)
    }
}
