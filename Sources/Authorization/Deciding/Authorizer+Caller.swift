import Counting
import HTTPCore
import Tenants

/// Access checks for the caller, or for a request without one.
extension Authorizer {
    /// No rule applies to an ambiguous path.
    func checkAmbiguousPath(_ input: DecisionInput, _ authentication: Authentication) -> Decision? {
        guard input.request.path == .ambiguous else { return nil }
        if case .needs = authentication { return nil }
        return refuse(input, .ambiguousPath, authentication.verifiedCaller)
    }

    /// An expired token is replaced, if one is needed and the session can be refreshed.
    func refreshExpired(
        _ input: DecisionInput,
        _ bytes: Span<UInt8>,
        _ rules: RequestRules,
        _ authentication: Authentication
    ) -> Decision? {
        guard case .expired(let caller) = authentication else { return nil }
        let (decisionContext, request) = (input.decisionContext, input.request)
        let tenant = request.tenant
        decisionContext.explanation?.note(rules, nil, tenant.tenant)
        guard !rules.isOpenToAnyone, tenant.tenant.mode == .enforce, let refreshing = tenant.refreshing,
            !request.request.inAnyReading(bytes, { refreshing.isExempt($0) })
        else { return nil }
        if decisionContext.steps.allowed.contains(.refresh) { return .pending(.refresh(caller), request) }
        decisionContext.explanation?.noteRefresh(tenant.tenant)
        return nil
    }

    /// The limits by subject and by claim, including for a caller whose missing proof is only observed.
    func checkLimitsOfCaller(
        _ input: DecisionInput,
        _ bytes: Span<UInt8>,
        _ rules: RequestRules,
        _ authentication: Authentication
    ) -> Decision? {
        let request = input.request
        guard let limits = request.tenant.limits else { return nil }
        let caller: Caller
        switch authentication {
        case .verified(let verified): caller = verified
        case .unproven(let unproven):
            guard unproven.refusalAsUnknown(rules) == nil else { return nil }
            caller = unproven.caller
        case .expired, .refused, .needs: return nil
        }
        let finding = limits.exceeded(
            by: caller,
            request.request,
            request.tenant.endpoints,
            bytes,
            input.decisionContext,
            at: input.now
        )
        return finding.flatMap { refuse(input, $0) }
    }

    /// The access rules, and the result of the token checks where the rules need a token.
    func checkAccessRules(_ input: DecisionInput, _ rules: RequestRules, _ authentication: Authentication) -> Decision {
        switch authentication {
        case .needs(let step): return .pending(step, input.request)
        case .verified(let caller): return decide(input, rules, caller)
        case .expired(let caller):
            // The rules were noted when a refresh was considered.
            guard rules.isOpenToAnyone else {
                return refuse(input, .tokenExpired, nil, observing: rules.observedLine)
            }
            return grant(input, nil, .anonymous, signsOut: signingOut(caller, input, rules))
        case .refused(let refusal): return decideUnknown(input, rules, refusal)
        case .unproven(let unproven): return decideUnproven(input, rules, unproven)
        }
    }

    private func decide(_ input: DecisionInput, _ rules: RequestRules, _ caller: Caller) -> Decision {
        input.decisionContext.explanation?.note(rules, caller, input.request.tenant.tenant)
        let isOpen = rules.isOpenToAnyone
        let signsOut = signingOut(caller, input, rules)
        if !isOpen, let refusal = rules.refusal(of: caller) {
            return refuse(input, refusal, caller, signsOut: signsOut, observing: rules.observedLine)
        }
        return grant(input, caller, .granted, signsOut: signsOut, needsCaller: !isOpen)
    }

    /// Whose tokens end with a sign-out; nil if the request is none.
    private func signingOut(_ caller: Caller, _ input: DecisionInput, _ rules: RequestRules) -> [Caller]? {
        guard rules.endsSession else { return nil }
        return [caller] + (input.decisionContext.severalTokens?.others ?? [])
    }

    /// There is no valid token.
    private func decideUnknown(_ input: DecisionInput, _ rules: RequestRules, _ refusal: Refusal) -> Decision {
        // A bad token is ignored if none is needed. Several tokens in one location, good ones of two subjects, and a
        // cross-site request with a cookie, are refused there too: they are attacks. A sign-out whose token cannot be
        // checked now is refused, so that the client tries again.
        let isIgnored = !refusal.isRefusedEverywhere
        if isIgnored { input.decisionContext.explanation?.note(rules, nil, input.request.tenant.tenant) }
        let isSignOut = rules.endsSession && refusal.leavesSignOutUndone
        if rules.isOpenToAnyone && isIgnored && !isSignOut { return grant(input, nil, .anonymous) }
        return refuse(input, refusal, nil, observing: isIgnored && !isSignOut ? rules.observedLine : nil)
    }

    /// The proof is only observed: apply the rules for the token's owner, forward no identity.
    private func decideUnproven(_ input: DecisionInput, _ rules: RequestRules, _ unproven: UnprovenCaller) -> Decision {
        if let refusal = unproven.refusalAsUnknown(rules) { return decideUnknown(input, rules, refusal) }
        if rules.isOpenToAnyone { return decideUnknown(input, rules, unproven.refusal) }
        input.decisionContext.explanation?.note(rules, unproven.caller, input.request.tenant.tenant)
        if let refusal = rules.refusal(of: unproven.caller) {
            return refuse(input, refusal, nil, observing: rules.observedLine)
        }
        input.decisionContext.note(ObservedRefusal(refusal: unproven.refusal, line: unproven.line))
        return grant(input, nil, .refused(unproven.refusal.code))
    }
}

extension UnprovenCaller {
    /// Why the request counts as anonymous; nil if the limits and rules of the token's owner apply.
    fileprivate func refusalAsUnknown(_ rules: RequestRules) -> Refusal? {
        if rules.endsSession && refusal.leavesSignOutUndone { return refusal }
        return isExpired ? .tokenExpired : nil
    }
}

extension Refusal {
    /// Whether it holds for paths that need no caller, too.
    fileprivate var isRefusedEverywhere: Bool {
        code == .badRequest || code == .crossSiteRequest || code == .conflictingTokens
    }

    /// Whether a later sign-out, or one with a valid proof, would succeed: forwarded without a caller, this one would
    /// silently leave the session alive.
    fileprivate var leavesSignOutUndone: Bool {
        code == .storeUnavailable || code == .overloaded || proofError != nil
    }
}
