import Counting
import HTTPCore
import Tenants
import Verification

/// Leave to reach a tenant's backend. Only ``AccessDecision`` gives one, and forwarding takes nothing else.
struct Grant {
    let request: RoutedRequest
    /// Nil where nobody had to be known and no good token came, and for what observe mode lets through.
    let caller: Caller?
    /// What is counted and logged: in observe mode the refusal that would have been.
    let outcome: Outcome
    /// Whose token is revoked if the backend answers with success: the caller's, or one that has expired, but could
    /// still be refreshed.
    let signsOut: Caller?
    /// Whether the path wants a caller who is signed in: only for such a one the backend's 401 leads to a refresh.
    let needsCaller: Bool
    /// What the backend is told of who signs in, each line with its CRLF; empty for all other requests.
    fileprivate(set) var signInLines: [UInt8] = []

    fileprivate init(
        request: RoutedRequest,
        caller: Caller?,
        outcome: Outcome,
        signsOut: Caller?,
        needsCaller: Bool
    ) {
        self.request = request
        self.caller = caller
        self.outcome = outcome
        self.signsOut = signsOut
        self.needsCaller = needsCaller
    }

    /// The same for a sign-in that was checked.
    fileprivate func with(_ signIn: CheckedSignIn) -> Grant {
        let outcome = signIn.wouldBe.map(Outcome.refused) ?? outcome
        var grant = Grant(request: request, caller: caller, outcome: outcome, signsOut: signsOut, needsCaller: false)
        grant.signInLines = signIn.lines
        return grant
    }
}

/// Whether a request may pass. One function without I/O for every door: whoever asks, the answer is the same.
final class AccessDecision {
    enum Answer {
        case granted(Grant)
        indirect case refused(Refusal)
        /// A browser's question, which the gateway answers.
        case preflight(Preflight)
        case needs(SlowStep)
    }

    let authenticator: Authenticator

    /// - Parameter keySources: How many sets of keys can be asked for.
    init(keySources: Int = 0) {
        authenticator = Authenticator(keySources: keySources)
    }

    /// What is asked once a request, before anybody is known and before the gateway serves it itself: a browser's
    /// question, and the limits that hold for everybody.
    ///
    /// - Parameters:
    ///   - answersPreflights: Whether whoever asks can give a browser an answer that is no refusal; else a preflight is
    ///     a request like others.
    ///   - now: Unix seconds.
    /// - Returns: Nil where the request goes on.
    func admit(
        _ request: RoutedRequest,
        _ head: RequestHead,
        _ bytes: Span<UInt8>,
        _ circumstances: Circumstances,
        answersPreflights: Bool = true,
        at now: Double
    ) -> Answer? {
        let tenant = request.tenant
        guard tenant.crossOrigin != nil || tenant.limits != nil else { return nil }
        let question = DecisionQuestion(request: request, head: head, circumstances: circumstances, now: now)
        if answersPreflights, let sharing = tenant.crossOrigin {
            switch sharing.preflight(question, bytes) {
            case .none: break
            case .preflight(let preflight): return .preflight(preflight)
            case .refused(let refusal): return refuse(question, refusal, nil)
            }
        }
        guard let limits = tenant.limits,
            let finding = limits.exceeded(
                beforeAuthentication: request,
                head,
                bytes,
                circumstances,
                at: now
            )
        else { return nil }
        return refuse(question, finding)
    }

    /// - Parameters:
    ///   - memory: What is remembered of the connection's last token; nil where there is no connection.
    ///   - allowing: The slow steps that may still be asked for.
    ///   - now: Unix seconds.
    func decide(
        _ request: RoutedRequest,
        _ head: RequestHead,
        _ bytes: Span<UInt8>,
        memory: TokenMemory? = nil,
        _ circumstances: Circumstances,
        allowing: AllowedSteps,
        at now: Double
    ) -> Answer {
        let question = DecisionQuestion(request: request, head: head, circumstances: circumstances, now: now)
        let rules = RequestRules(request, head, bytes, isSignIn: circumstances.signIn != nil)
        switch authenticator.authenticate(question, bytes, memory, allowing: allowing) {
        case .needs(let step): return .needs(step)
        case .verified(let caller): return decide(question, rules, bytes, caller)
        case .expired(let caller): return decideExpired(question, rules, bytes, caller, allowing)
        case .refused(let refusal): return decideUnknown(question, rules, refusal)
        case .unproven(let unproven): return decideUnproven(question, rules, bytes, unproven)
        }
    }

    private func decide(
        _ question: DecisionQuestion,
        _ rules: RequestRules,
        _ bytes: Span<UInt8>,
        _ caller: Caller
    ) -> Answer {
        let request = question.request
        if request.path == .ambiguous { return refuse(question, .ambiguousPath, caller) }
        if let limits = request.tenant.limits,
            let finding = limits.exceeded(by: caller, request, bytes, question.circumstances, at: question.now),
            let answer = refuse(question, finding, caller)
        {
            return answer
        }
        question.circumstances.explanation?.note(rules, caller, request.tenant.tenant)
        let isOpen = rules.isOpenToAnyone
        let signsOut = rules.endsSession ? caller : nil
        if !isOpen, let refusal = rules.refusal(of: caller) {
            return refuse(question, refusal, caller, signsOut: signsOut, observing: rules.observedLine)
        }
        return grant(question, caller, .granted, signsOut: signsOut, needsCaller: !isOpen)
    }

    /// Nobody is known.
    private func decideUnknown(_ question: DecisionQuestion, _ rules: RequestRules, _ refusal: Refusal) -> Answer {
        if question.request.path == .ambiguous { return refuse(question, .ambiguousPath, nil) }
        // A bad token is ignored where none is needed, but several of them are someone's trick, and so is a visitor's
        // cookie that another site makes use of; who cannot be known at the moment cannot be signed out either.
        let isIgnored = refusal.code != .badRequest && refusal.code != .crossSiteRequest
        if isIgnored { question.circumstances.explanation?.note(rules, nil, question.request.tenant.tenant) }
        let isSignOut = rules.endsSession && refusal.leavesSignOutUndone
        if rules.isOpenToAnyone && isIgnored && !isSignOut { return grant(question, nil, .anonymous) }
        return refuse(question, refusal, nil, observing: isIgnored && !isSignOut ? rules.observedLine : nil)
    }

    /// Who has proved nothing gets nowhere that the caller would not, and is nobody there.
    private func decideUnproven(
        _ question: DecisionQuestion,
        _ rules: RequestRules,
        _ bytes: Span<UInt8>,
        _ unproven: Authenticator.UnprovenCaller
    ) -> Answer {
        let (request, caller) = (question.request, unproven.caller)
        if request.path == .ambiguous { return refuse(question, .ambiguousPath, nil) }
        if rules.endsSession && unproven.refusal.leavesSignOutUndone {
            return decideUnknown(question, rules, unproven.refusal)
        }
        if unproven.isExpired { return decideUnknown(question, rules, .tokenExpired) }
        if let limits = request.tenant.limits,
            let finding = limits.exceeded(by: caller, request, bytes, question.circumstances, at: question.now),
            let answer = refuse(question, finding)
        {
            return answer
        }
        if rules.isOpenToAnyone { return decideUnknown(question, rules, unproven.refusal) }
        question.circumstances.explanation?.note(rules, caller, request.tenant.tenant)
        if let refusal = rules.refusal(of: caller) {
            return refuse(question, refusal, nil, observing: rules.observedLine)
        }
        question.circumstances.note(ObservedRefusal(refusal: unproven.refusal, line: unproven.line))
        return grant(question, nil, .refused(unproven.refusal.code))
    }

    /// A token that is good but for its age gets nobody in; but it may get a new one.
    private func decideExpired(
        _ question: DecisionQuestion,
        _ rules: RequestRules,
        _ bytes: Span<UInt8>,
        _ caller: Caller,
        _ allowing: AllowedSteps
    ) -> Answer {
        let request = question.request
        if request.path == .ambiguous { return refuse(question, .ambiguousPath, nil) }
        question.circumstances.explanation?.note(rules, nil, request.tenant.tenant)
        if rules.isOpenToAnyone {
            return grant(question, nil, .anonymous, signsOut: rules.endsSession ? caller : nil)
        }
        let tenant = request.tenant
        if tenant.tenant.mode == .enforce, let refreshing = tenant.refreshing,
            !request.inAnyReading(bytes, { refreshing.isExempt($0) })
        {
            if allowing.contains(.refresh) { return .needs(.refresh(caller)) }
            question.circumstances.explanation?.noteRefresh(tenant.tenant)
        }
        return refuse(question, .tokenExpired, nil, observing: rules.observedLine)
    }

    private func grant(
        _ question: DecisionQuestion,
        _ caller: Caller?,
        _ outcome: Outcome,
        signsOut: Caller? = nil,
        needsCaller: Bool = false
    ) -> Answer {
        let circumstances = question.circumstances
        let grant = Grant(
            request: question.request,
            caller: caller,
            outcome: circumstances.observed.map { .refused($0.refusal.code) } ?? outcome,
            signsOut: signsOut,
            needsCaller: needsCaller
        )
        guard let signIn = circumstances.signIn else { return .granted(grant) }
        return .granted(grant.with(signIn))
    }

    /// A refusal, or where it is only observed the grant that takes note of it. Only who was verified is vouched for.
    ///
    /// - Parameter observing: The line of a rule that is only observed.
    private func refuse(
        _ question: DecisionQuestion,
        _ refusal: Refusal,
        _ caller: Caller?,
        signsOut: Caller? = nil,
        observing rule: Int? = nil
    ) -> Answer {
        let tenant = question.request.tenant.tenant
        let tenantLine = tenant.mode == .observe ? tenant.lines["mode"] ?? 0 : nil
        guard let line = tenantLine ?? rule else { return .refused(refusal) }
        question.circumstances.note(ObservedRefusal(refusal: refusal, line: line))
        return grant(question, caller, .refused(refusal.code), signsOut: signsOut)
    }

    /// - Returns: Nil where the limit is only observed: the decision goes on.
    private func refuse(
        _ question: DecisionQuestion,
        _ finding: TenantLimits.Finding,
        _ caller: Caller? = nil
    ) -> Answer? {
        guard finding.isObserved || question.request.tenant.tenant.mode == .observe else {
            return .refused(finding.refusal)
        }
        question.circumstances.note(ObservedRefusal(refusal: finding.refusal, line: finding.line))
        return nil
    }
}

extension Refusal {
    /// Whether a sign-out that was met by it would be done another time, or by a better proof: passing it on as
    /// nobody's would leave the session alive in silence.
    fileprivate var leavesSignOutUndone: Bool {
        code == .storeUnavailable || code == .overloaded || proofError != nil
    }
}
