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

/// The entry of a connection's last token. A client sends the same one with each request, and comparing it costs less
/// than hashing it to find it again.
final class TokenMemory {
    fileprivate(set) var last: TokenCache.Entry?
}

/// The slow steps that a decision may still ask for: each is done once a request.
struct AllowedSteps: OptionSet {
    let rawValue: Int

    static let signature = AllowedSteps(rawValue: 1)
    static let keys = AllowedSteps(rawValue: 2)
    static let refresh = AllowedSteps(rawValue: 4)
    static let all: AllowedSteps = [.signature, .keys, .refresh]

    /// What is left after a step.
    func after(_ step: SlowStep) -> AllowedSteps {
        switch step {
        case .signature: subtracting(.signature)
        case .keys: subtracting(.keys)
        case .refresh: subtracting(.refresh)
        }
    }
}

/// Whether a request may pass. One function without I/O for every door: whoever asks, the answer is the same.
final class AccessDecision {
    enum Answer {
        case granted(Grant)
        case refused(Refusal)
        case needs(SlowStep)
    }

    private let router: RequestRouter
    private let sipHash = SipHash.withRandomKey()
    private let verified = TokenCache()
    private let refused = RefusedTokenCache()
    private var slowChecks = SlowCheckBudget()
    private var keyQuestions: KeyQuestions
    private(set) var cacheCounts = TokenCacheCounts()

    /// - Parameter keySources: How many sets of keys can be asked for.
    init(router: RequestRouter, keySources: Int = 0) {
        self.router = router
        keyQuestions = KeyQuestions(count: keySources)
    }

    /// - Parameters:
    ///   - memory: What is remembered of the connection's last token; nil where there is no connection.
    ///   - signIn: What was found of a sign-in, which needs no caller; nil for all other requests.
    ///   - allowing: The slow steps that may still be asked for.
    ///   - now: Unix seconds.
    func decide(
        _ request: RoutedRequest,
        _ head: RequestHead,
        _ bytes: Span<UInt8>,
        memory: TokenMemory? = nil,
        signIn: CheckedSignIn? = nil,
        allowing: AllowedSteps,
        at now: Double
    ) -> Answer {
        var rules = RequestRules(router, request, head, bytes)
        guard let signIn else { return decide(request, rules, head, bytes, memory, allowing: allowing, at: now) }
        rules.isSignIn = true
        let answer = decide(request, rules, head, bytes, memory, allowing: allowing, at: now)
        guard case .granted(let grant) = answer else { return answer }
        return .granted(grant.with(signIn))
    }

    private func decide(
        _ request: RoutedRequest,
        _ rules: RequestRules,
        _ head: RequestHead,
        _ bytes: Span<UInt8>,
        _ memory: TokenMemory?,
        allowing: AllowedSteps,
        at now: Double
    ) -> Answer {
        switch authenticate(request, head, bytes, memory, allowing: allowing, at: now) {
        case .needs(let step): return .needs(step)
        case .verified(let caller):
            if request.path == .ambiguous { return refuse(request, .ambiguousPath, caller) }
            let isOpen = rules.isOpenToAnyone
            let signsOut = rules.endsSession ? caller : nil
            if !isOpen, let refusal = rules.refusal(of: caller) {
                return refuse(request, refusal, caller, signsOut: signsOut)
            }
            return .granted(
                Grant(request: request, caller: caller, outcome: .granted, signsOut: signsOut, needsCaller: !isOpen)
            )
        case .expired(let caller): return decideExpired(request, rules, bytes, caller, allowing)
        case .refused(let refusal):
            if request.path == .ambiguous { return refuse(request, .ambiguousPath, nil) }
            // A bad token is ignored where none is needed, but several of them are someone's trick; and who cannot be
            // known at the moment cannot be signed out either.
            let isSignOut = rules.endsSession && refusal.code == .storeUnavailable
            if rules.isOpenToAnyone && refusal.code != .badRequest && !isSignOut {
                return passAsNobody(request)
            }
            return refuse(request, refusal, nil)
        }
    }

    /// A token that is good but for its age gets nobody in; but it may get a new one.
    private func decideExpired(
        _ request: RoutedRequest,
        _ rules: RequestRules,
        _ bytes: Span<UInt8>,
        _ caller: Caller,
        _ allowing: AllowedSteps
    ) -> Answer {
        if request.path == .ambiguous { return refuse(request, .ambiguousPath, nil) }
        if rules.isOpenToAnyone { return passAsNobody(request, signsOut: rules.endsSession ? caller : nil) }
        let tenant = request.tenant
        if allowing.contains(.refresh), tenant.tenant.mode == .enforce, let refreshing = tenant.refreshing,
            !router.inEitherReading(request, bytes, { refreshing.isExempt($0) })
        {
            return .needs(.refresh(caller))
        }
        return refuse(request, .tokenExpired, nil)
    }

    private func passAsNobody(_ request: RoutedRequest, signsOut: Caller? = nil) -> Answer {
        .granted(Grant(request: request, caller: nil, outcome: .anonymous, signsOut: signsOut, needsCaller: false))
    }

    /// A refusal, or in observe mode the grant that takes note of it. Only who was verified is vouched for.
    private func refuse(
        _ request: RoutedRequest,
        _ refusal: Refusal,
        _ caller: Caller?,
        signsOut: Caller? = nil
    ) -> Answer {
        guard request.tenant.tenant.mode == .observe else { return .refused(refusal) }
        return .granted(
            Grant(
                request: request,
                caller: caller,
                outcome: .refused(refusal.code),
                signsOut: signsOut,
                needsCaller: false
            )
        )
    }

    // MARK: Who is it

    private enum Authentication {
        case verified(Caller)
        /// Good but for its age, and not too old to be refreshed.
        case expired(Caller)
        case refused(Refusal)
        case needs(SlowStep)
    }

    private func authenticate(
        _ request: RoutedRequest,
        _ head: RequestHead,
        _ bytes: Span<UInt8>,
        _ memory: TokenMemory?,
        allowing: AllowedSteps,
        at now: Double
    ) -> Authentication {
        let sources = request.tenant.tenant.authenticate.from
        switch TokenFinder.find(head, bytes, query: request.target.query, in: sources) {
        case .missing: return .refused(.missingToken)
        case .several: return .refused(.severalTokens)
        case .token(let range):
            let token = bytes.extracting(range)
            let authentication = verify(token, for: request.tenant, memory, allowing: allowing, at: now)
            let caller: Caller
            switch authentication {
            case .verified(let current): caller = current
            case .expired(let past): caller = past
            case .refused, .needs: return authentication
            }
            switch request.tenant.revocations.standing(of: caller, at: now) {
            case .good: return authentication
            case .revoked: return .refused(.tokenRevoked)
            case .unknown: return .refused(.revocationsUnknown)
            }
        }
    }

    /// A token that was verified in a slow step was counted before it.
    private func verify(
        _ token: Span<UInt8>,
        for tenant: TenantRuntime,
        _ memory: TokenMemory?,
        allowing: AllowedSteps,
        at now: Double
    ) -> Authentication {
        if let caller = memory?.last?.caller(ofTenant: tenant.index, token: token, at: now) {
            if allowing == .all { cacheCounts.hits += 1 }
            return .verified(caller)
        }
        let key = TokenCache.Key(hash: sipHash.hash(token, seed: UInt64(tenant.index)), tenant: tenant.index)
        if let entry = verified.entry(key, token: token, at: now) {
            if allowing == .all { cacheCounts.hits += 1 }
            guard now < entry.caller.refusedFrom else { return .expired(entry.caller) }
            memory?.last = entry
            return .verified(entry.caller)
        }
        if let refusal = refused.refusal(key, at: now) {
            if allowing == .all { cacheCounts.refusedHits += 1 }
            return .refused(refusal)
        }
        if allowing == .all { cacheCounts.misses += 1 }
        if allowing.contains(.signature), let cost = tenant.slowCheckCost, !slowChecks.allows(cost, at: now) {
            let copy = token.withUnsafeBufferPointer(Array.init)
            let check = SignatureStep(
                tenant: tenant.index,
                token: copy,
                key: key,
                now: now,
                keyGeneration: tenant.keyGeneration
            )
            return .needs(.signature(check))
        }
        do throws(VerificationFailure) {
            let verified = try tenant.verifier.verify(token, at: now, refreshableFor: tenant.refreshGrace)
            let caller = remember(verified.principal, tenant, key, token)
            return verified.isExpired ? .expired(caller) : .verified(caller)
        } catch {
            return refused(error, tenant, key, mayAsk: allowing.contains(.keys), at: now)
        }
    }

    /// A failure that new keys of the issuer may mend is no refusal before they were asked for.
    private func refused(
        _ failure: VerificationFailure,
        _ tenant: TenantRuntime,
        _ key: TokenCache.Key,
        mayAsk: Bool,
        at now: Double
    ) -> Authentication {
        guard let place = failure.issuerPlace, place < tenant.keySources.count, let source = tenant.keySources[place]
        else {
            return failure.reason == .keysNotLoaded
                ? .refused(.keysMissing(retryAfterSeconds: 1)) : .refused(remember(failure, key, at: now))
        }
        let isMissing = failure.reason == .keysNotLoaded
        if mayAsk, keyQuestions.mayAsk(source, at: now) {
            return .needs(.keys(KeyStep(source: source, isMissing: isMissing)))
        }
        if isMissing {
            return .refused(.keysMissing(retryAfterSeconds: keyQuestions.retryAfterSeconds(source, at: now)))
        }
        return .refused(remember(failure, key, at: now))
    }

    /// What was verified holds no longer: there are other keys, another configuration, or none.
    func forgetTokens() {
        verified.removeAll()
    }

    /// Issuers have other keys: what was verified may not be any more, and what was refused may be good.
    ///
    /// - Parameter source: Whose; nil where nobody could be asked for them.
    func keysChanged(source: Int?) {
        verified.removeAll()
        refused.removeAll()
        if let source { keyQuestions.answered(source, .decideAgain, at: 0) }
    }

    /// Takes note of what came of a signature check, so that the next decision finds it.
    func settle(_ step: SignatureStep, _ outcome: Result<VerifiedToken, VerificationFailure>, _ tenant: TenantRuntime) {
        // It was made with keys that are not the issuer's any more.
        guard step.keyGeneration == tenant.keyGeneration else { return }
        switch outcome {
        case .success(let verified): _ = remember(verified.principal, tenant, step.key, step.token.span)
        case .failure(let failure):
            if failure.issuerPlace == nil { _ = remember(failure, step.key, at: step.now) }
        }
    }

    /// - Parameter now: Unix seconds.
    func settle(_ step: KeyStep, _ answer: KeySetAnswer, at now: Double) {
        keyQuestions.answered(step.source, answer, at: now)
    }

    private func remember(
        _ principal: Principal,
        _ tenant: TenantRuntime,
        _ key: TokenCache.Key,
        _ token: Span<UInt8>
    ) -> Caller {
        let caller = Caller(principal, tenant: tenant.tenant)
        verified.insert(caller, key, token: token)
        return caller
    }

    private func remember(_ failure: VerificationFailure, _ key: TokenCache.Key, at now: Double) -> Refusal {
        let refusal = Self.refusal(for: failure)
        if !failure.mayPass { refused.insert(refusal, key, at: now) }
        return refusal
    }

    private static func refusal(for failure: VerificationFailure) -> Refusal {
        failure.isExpiry ? .tokenExpired : Refusal(.invalidToken, status: 401, detail: failure.summary)
    }
}

extension VerificationFailure {
    /// Whether the same token may be good at another time.
    fileprivate var mayPass: Bool {
        switch reason {
        case .notYetValid, .issuedInFuture: true
        default: false
        }
    }
}
