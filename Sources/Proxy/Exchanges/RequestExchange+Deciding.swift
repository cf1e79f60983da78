import Authorization
import HTTPCore
import NIOCore
import Tenants
import Time

/// From a whole head to a decision.
extension RequestExchange {
    /// Authorizes the request and carries out the decision.
    ///
    /// - Parameters:
    ///   - bytes: The bytes of the request.
    func decide(_ request: ReceivedRequest, _ bytes: Span<UInt8>, at now: UnixTime) {
        switch worker.serving.authorizer.authorize(request, bytes, decisionContext, at: now) {
        case .granted(let grant):
            begin(for: grant.request, request, bytes)
            granted(grant, bytes)
        case .refused(let refusal, let tenant):
            begin(for: tenant, request, bytes)
            if refusal == .ours, let page = problemPage(request, bytes) {
                worker.loop.spares.requests.giveBack(request)
                record.outcome = .anonymous
                respondUnshaped(page.response)
            } else {
                worker.keepRefusedHead(&record, request.head, bytes)
                turnAway(request, refusal)
            }
        case .preflight(let preflight, let tenant):
            begin(for: tenant, request, bytes)
            worker.loop.spares.requests.giveBack(request)
            record.outcome = .anonymous
            respondUnshaped(GatewayResponse(status: 204, unindexedFields: preflight.fields))
        case .redirect(let location, let tenant):
            begin(for: tenant, request, bytes)
            worker.loop.spares.requests.giveBack(request)
            record.outcome = .anonymous
            respond(.redirectToHTTPS(location))
        case .endpoint(let endpoint, let routed):
            begin(for: routed, request, bytes)
            serve(endpoint, routed, bytes)
        case .pending(let step, let routed):
            begin(for: routed, request, bytes)
            wait(for: step, routed, bytes)
        }
    }

    private func problemPage(_ request: ReceivedRequest, _ bytes: Span<UInt8>) -> ProblemPage? {
        guard decisionContext.source.isServedHere else { return nil }
        return ProblemPage(record.request.method, target: bytes.extracting(request.head.target))
    }

    private func begin(for routed: RoutedRequest, _ request: ReceivedRequest, _ bytes: Span<UInt8>) {
        begin(for: routed.tenant, request, bytes)
        if let route = routed.route { record.route = record.tenant?.routes[route.index] }
    }

    /// Records the tenant, and prepares its response header rules while the request's fields are at hand.
    ///
    /// - Parameter tenant: Nil if none was found.
    private func begin(for tenant: TenantRuntime?, _ request: ReceivedRequest, _ bytes: Span<UInt8>) {
        record.tenant = tenant.map { worker.serving.tenants[$0.index] }
        if let rules = record.tenant?.answerRules, let peer {
            style.shape = rules.shape(request.head, bytes, peer)
            if rules.dependsOnApp { noteApp(rules, request.head, bytes) }
        }
        worker.logRequest(&record, request.head, bytes, isBehindProxy: peer?.isTrustedProxy == true)
    }

    /// What the response depends on besides the decision, of a tenant with a page for refusals or with `app_version`.
    private func noteApp(_ rules: ResponseHeaderRules, _ head: RequestHead, _ bytes: Span<UInt8>) {
        worker.noteApp(&record, decisionContext.appVersion, rules, head, bytes)
        switch decisionContext.appVersion {
        case .belowRecommended: style.shape?.tellsOfUpdate = true
        // The refusal says so itself; where it is only observed, the app is told at least.
        case .belowMinimum: style.shape?.tellsOfUpdate = tenant?.tenant.mode == .observe
        case .missing, .unreadable, .current, nil: break
        }
    }

    /// Refuses a request and releases its bytes.
    func turnAway(_ request: ReceivedRequest, _ refusal: Refusal) {
        worker.loop.spares.requests.giveBack(request)
        refuse(refusal)
    }

    private func granted(_ grant: Grant, _ bytes: Span<UInt8>) {
        if let tokens = decisionContext.severalTokens, !tokens.withheld.isEmpty, withhold(tokens, grant, bytes) {
            return
        }
        record.outcome = grant.outcome
        record.user.caller = grant.caller
        if case .refused(let code) = grant.outcome {
            record.reason = decisionContext.observed?.refusal.detail
            record.isObserved = true
            worker.keepRefusedHead(&record, grant.request.head, bytes)
            worker.note(code, decisionContext.observed, grant, record.id, grant.request.head, bytes)
        }
        if let route = record.route, route.isAnsweredHere {
            addFreshNonce()
            return answer(grant, bytes)
        }
        var kept: ReplayableRequest?
        var adoption: AdoptionAttempt?
        if grant.needsCaller, decisionContext.steps.allowed.contains(.refresh) {
            (kept, adoption) = prepareRefresh(grant, bytes)
        }
        addFreshNonce()
        forward(grant, holds(grant, kept, adoption, bytes), bytes)
    }

    /// Decides on the request again without the tokens that are stale: the backend gets no token that was refused.
    ///
    /// - Returns: Whether the request goes on without them. It goes on as it is where observe mode changes nothing, or
    ///   where the backend gets no token at all.
    private func withhold(_ tokens: SeveralTokens, _ grant: Grant, _ bytes: Span<UInt8>) -> Bool {
        let (tenant, received) = (grant.request.tenant, grant.request.received)
        let sources = tokens.withheldSources(of: tenant.tenant)
        worker.countPassedOver(tokens, of: tenant)
        guard tenant.tenant.mode == .enforce, tenant.tenant.identity.token == .keep else { return false }
        guard tokens.takesOut() else {
            failInternally("a stale token is still there")
            return true
        }
        var rewriter = HeadRewriter()
        rewriter.remove(sources, from: grant.request, bytes)
        guard let request = read(rewriter.rewritten(received.head, bytes)) else {
            turnAway(received, Refusal(.headTooLarge))
            return true
        }
        worker.loop.spares.requests.giveBack(received)
        let buffer = request.bytes
        decide(request, buffer.readableBytesUInt8Span, at: worker.unixTime(at: worker.now()))
        return true
    }

    // MARK: Slow steps

    private func wait(for step: SlowStep, _ request: RoutedRequest, _ bytes: Span<UInt8>) {
        record.trace?.waits(for: step)
        guard advance({ $0.waits(request.received) }) != nil else { return }
        decisionContext.steps.took(AllowedSteps(step), generation: worker.serving.generation)
        endWork(at: worker.now())
        guard !perform(step, request, bytes) else { return }
        // Decide without the step: a request that needs no caller is forwarded.
        guard advance({ $0.stepEnded() }) != nil else { return }
        decisionContext.steps.hadNoCapacity()
        decide(request.received, bytes, at: worker.unixTime(at: worker.now()))
    }

    private func perform(_ step: SlowStep, _ request: RoutedRequest, _ bytes: Span<UInt8>) -> Bool {
        if case .refresh(let caller) = step { return refreshExpired(caller, request, bytes) }
        return worker.perform(step, for: self)
    }

    /// Decides on the same request again, from its head on: it may have waited long enough for its token to expire.
    func decideAgain(_ request: ReceivedRequest) {
        let now = worker.now()
        workBeganAt = now
        let buffer = request.bytes
        decide(request, buffer.readableBytesUInt8Span, at: worker.unixTime(at: now))
        goOn()
    }

    /// Continues with what the client sent meanwhile.
    func goOn() {
        client?.setReading(true)
        client?.resume()
    }
}

extension RequestExchange: SlowStepClient {
    /// The step is done.
    func stepEnded() {
        guard let request = advance({ $0.stepEnded() }) else { return }
        decisionContext.steps.ended(generation: worker.serving.generation)
        decideAgain(request)
    }
}
