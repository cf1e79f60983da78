import Counting
import HTTPCore
import Tenants

/// The checks of who asks: the token, and what the caller may do.
extension Authorizer {
    func checkCaller(_ question: DecisionQuestion, _ bytes: Span<UInt8>) -> Decision {
        let decisionContext = question.decisionContext
        let rules = RequestRules(question.request, question.head, bytes, isSignIn: decisionContext.signIn != nil)
        let authentication = authenticator.authenticate(
            question,
            bytes,
            decisionContext.tokenMemory,
            allowing: decisionContext.steps.allowed
        )
        switch authentication {
        case .needs(let step): return .pending(step, question.request)
        case _ where question.request.path == .ambiguous:
            return refuse(question, .ambiguousPath, authentication.verifiedCaller)
        case .verified(let caller): return decide(question, rules, bytes, caller)
        case .expired(let caller): return decideExpired(question, rules, bytes, caller)
        case .refused(let refusal): return decideUnknown(question, rules, refusal)
        case .unproven(let unproven): return decideUnproven(question, rules, bytes, unproven)
        }
    }

    private func decide(
        _ question: DecisionQuestion,
        _ rules: RequestRules,
        _ bytes: Span<UInt8>,
        _ caller: Caller
    ) -> Decision {
        if let decision = checkLimits(of: caller, question, bytes) { return decision }
        question.decisionContext.explanation?.note(rules, caller, question.request.tenant.tenant)
        let isOpen = rules.isOpenToAnyone
        let signsOut = rules.endsSession ? caller : nil
        if !isOpen, let refusal = rules.refusal(of: caller) {
            return refuse(question, refusal, caller, signsOut: signsOut, observing: rules.observedLine)
        }
        return grant(question, caller, .granted, signsOut: signsOut, needsCaller: !isOpen)
    }

    private func checkLimits(of caller: Caller, _ question: DecisionQuestion, _ bytes: Span<UInt8>) -> Decision? {
        let request = question.request
        guard let limits = request.tenant.limits,
            let finding = limits.exceeded(
                by: caller,
                request.request,
                request.tenant.endpoints,
                bytes,
                question.decisionContext,
                at: question.now
            )
        else { return nil }
        return refuse(question, finding)
    }

    /// There is no token, or none that is good.
    private func decideUnknown(_ question: DecisionQuestion, _ rules: RequestRules, _ refusal: Refusal) -> Decision {
        // A bad token is ignored where none is needed. Several tokens in one place, and a cross-site request with a
        // cookie, are refused there too: they are attacks. A sign-out whose token cannot be checked now is refused, so
        // that the client tries again.
        let isIgnored = refusal.code != .badRequest && refusal.code != .crossSiteRequest
        if isIgnored { question.decisionContext.explanation?.note(rules, nil, question.request.tenant.tenant) }
        let isSignOut = rules.endsSession && refusal.leavesSignOutUndone
        if rules.isOpenToAnyone && isIgnored && !isSignOut { return grant(question, nil, .anonymous) }
        return refuse(question, refusal, nil, observing: isIgnored && !isSignOut ? rules.observedLine : nil)
    }

    /// Proof is only observed: apply the token owner's limits and rules, forward no identity.
    private func decideUnproven(
        _ question: DecisionQuestion,
        _ rules: RequestRules,
        _ bytes: Span<UInt8>,
        _ unproven: Authenticator.UnprovenCaller
    ) -> Decision {
        let caller = unproven.caller
        if rules.endsSession && unproven.refusal.leavesSignOutUndone {
            return decideUnknown(question, rules, unproven.refusal)
        }
        if unproven.isExpired { return decideUnknown(question, rules, .tokenExpired) }
        if let decision = checkLimits(of: caller, question, bytes) { return decision }
        if rules.isOpenToAnyone { return decideUnknown(question, rules, unproven.refusal) }
        question.decisionContext.explanation?.note(rules, caller, question.request.tenant.tenant)
        if let refusal = rules.refusal(of: caller) {
            return refuse(question, refusal, nil, observing: rules.observedLine)
        }
        question.decisionContext.note(ObservedRefusal(refusal: unproven.refusal, line: unproven.line))
        return grant(question, nil, .refused(unproven.refusal.code))
    }

    /// An expired token is refused where one is needed, unless it can be refreshed.
    private func decideExpired(
        _ question: DecisionQuestion,
        _ rules: RequestRules,
        _ bytes: Span<UInt8>,
        _ caller: Caller
    ) -> Decision {
        let request = question.request
        question.decisionContext.explanation?.note(rules, nil, request.tenant.tenant)
        if rules.isOpenToAnyone {
            return grant(question, nil, .anonymous, signsOut: rules.endsSession ? caller : nil)
        }
        let tenant = request.tenant
        if tenant.tenant.mode == .enforce, let refreshing = tenant.refreshing,
            !request.request.inAnyReading(bytes, { refreshing.isExempt($0) })
        {
            if question.decisionContext.steps.allowed.contains(.refresh) { return .pending(.refresh(caller), request) }
            question.decisionContext.explanation?.noteRefresh(tenant.tenant)
        }
        return refuse(question, .tokenExpired, nil, observing: rules.observedLine)
    }
}

extension Refusal {
    /// Whether a later sign-out, or one with a good proof, would succeed: forwarded without a caller, this one would leave
    /// the session alive and say nothing.
    fileprivate var leavesSignOutUndone: Bool {
        code == .storeUnavailable || code == .overloaded || proofError != nil
    }
}
