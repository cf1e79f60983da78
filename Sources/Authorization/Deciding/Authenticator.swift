package import Counting
package import SharedState
import Tenants
package import Time
package import Verification

/// Finds out who a request comes from: the token's place, its checks, revocation and what it is bound to. One an event
/// loop, with what it remembers of tokens.
package final class Authenticator {
    private let sipHash = SipHash.withRandomKey()
    private let verified = TokenCache()
    private let refused = RefusedTokenCache()
    private var slowChecks = SlowCheckBudget()
    private var keyQuestions: KeyQuestions
    /// Tokens to introspect again before their cached answers expire.
    private var dueIntrospections: [IntrospectionStep] = []
    package private(set) var cacheCounts = TokenCacheCounts()

    /// Between two ticks of the loop.
    private static let mostDueIntrospections = 1024

    /// - Parameter keySources: How many sets of keys can be asked for.
    init(keySources: Int) {
        keyQuestions = KeyQuestions(count: keySources)
    }

    enum Authentication {
        case verified(Caller)
        /// Good but for its age, and not too old to be refreshed.
        case expired(Caller)
        // Indirect, so that a verified caller is passed on as one word.
        indirect case refused(Refusal)
        /// The token is good or expired, and its proof of possession fails, which is only observed.
        indirect case unproven(UnprovenCaller)
        case needs(SlowStep)

        var verifiedCaller: Caller? { if case .verified(let caller) = self { caller } else { nil } }
    }

    /// The owner of a good token that came without the proof of possession it needs.
    struct UnprovenCaller {
        /// Whose token it is; its identity is not forwarded.
        let caller: Caller
        let isExpired: Bool
        /// What it would be refused with.
        let refusal: Refusal
        /// Of the rule that is only observed.
        let line: Int
    }

    /// CSRF checks also apply to query or header tokens when the backend sees a token cookie: another site could send its
    /// own token and act through that cookie.
    func authenticate(
        _ question: DecisionQuestion,
        _ bytes: Span<UInt8>,
        _ memory: TokenMemory?,
        allowing: AllowedSteps
    ) -> Authentication {
        let authentication = authenticateToken(question, bytes, memory, allowing: allowing)
        switch authentication {
        case .needs: return authentication
        case .refused(let refusal) where refusal.code == .badRequest || refusal.code == .crossSiteRequest:
            return authentication
        case .verified, .refused, .expired, .unproven:
            let isMisused = hidesCookie(question, bytes) && refusesCrossSite(question, bytes)
            return isMisused ? .refused(.crossSite) : authentication
        }
    }

    /// Whether the token came in the query or a header of its own, and the backend also gets a cookie with one.
    private func hidesCookie(_ question: DecisionQuestion, _ bytes: Span<UInt8>) -> Bool {
        let (request, head) = (question.request, question.head)
        let (tenant, query) = (request.tenant, request.target.query)
        guard !tenant.tokenSources.forwardedCookies.isEmpty else { return false }
        let from = tenant.tokenSources.all
        let finding = TokenFinder.find(head, bytes, query: query, in: from, takesProofs: tenant.proving != nil)
        guard case .token(_, let place) = finding else { return false }
        switch from[place] {
        // Browsers send the first across sites only after a preflight; the second has been checked.
        case .bearer, .cookie: return false
        case .query, .header:
            return TokenFinder.find(head, bytes, query: query, in: tenant.tokenSources.forwardedCookies) != .missing
        }
    }

    /// Whether to refuse the request as cross-site; where that is only observed, it is noted.
    private func refusesCrossSite(_ question: DecisionQuestion, _ bytes: Span<UInt8>) -> Bool {
        let tenant = question.request.tenant
        guard tenant.browsers.crossSite.refuses(question.request.request, bytes, question.decisionContext) else {
            return false
        }
        guard tenant.browsers.crossSite.mode == .observe || tenant.tenant.mode == .observe else { return true }
        question.decisionContext.note(ObservedRefusal(refusal: .crossSite, line: tenant.browsers.crossSite.line))
        return false
    }

    private func authenticateToken(
        _ question: DecisionQuestion,
        _ bytes: Span<UInt8>,
        _ memory: TokenMemory?,
        allowing: AllowedSteps
    ) -> Authentication {
        let (request, head, now) = (question.request, question.head, question.now)
        let tenant = request.tenant
        let explanation = question.decisionContext.explanation
        let from = tenant.tokenSources.all
        let takesProofs = tenant.proving != nil
        switch TokenFinder.find(head, bytes, query: request.target.query, in: from, takesProofs: takesProofs) {
        case .missing:
            explanation?.noteMissingToken(tenant.tenant)
            return .refused(.missingToken)
        case .several:
            explanation?.noteSeveralTokens(tenant.tenant)
            return .refused(.severalTokens)
        case .token(let range, let place):
            explanation?.noteToken(at: place, tenant.tenant)
            if tenant.tokenSources.isCookie(place), refusesCrossSite(question, bytes) { return .refused(.crossSite) }
            // Without the proof's: that one bears on bound tokens alone.
            guard question.decisionContext.steps.withoutRoom.subtracting(.proof).isEmpty else {
                return .refused(.overloaded)
            }
            let token = bytes.extracting(range)
            let authentication = verify(token, for: tenant, memory, question, allowing: allowing)
            explanation?.note(authentication, of: token, tenant, at: now)
            let caller: Caller
            let isExpired: Bool
            switch authentication {
            case .verified(let current): (caller, isExpired) = (current, false)
            case .expired(let past): (caller, isExpired) = (past, true)
            case .refused, .unproven, .needs: return authentication
            }
            let standing = tenant.revocations.standing(of: caller, at: now)
            explanation?.note(standing, tenant.tenant)
            switch standing {
            case .good:
                if caller.confirmation == nil && !takesProofs { return authentication }
                let mayAsk = allowing.contains(.proof)
                let binding = BindingCheck(
                    request: request.request,
                    decisionContext: question.decisionContext,
                    now: now,
                    tenant: tenant.index,
                    proving: tenant.proving,
                    caller: caller,
                    token: range,
                    mayAsk: mayAsk
                )
                switch binding.verdict(bytes) {
                case .holds: return authentication
                case .refused(let refusal): return .refused(refusal)
                case .observed(let refusal, let line):
                    return .unproven(
                        UnprovenCaller(caller: caller, isExpired: isExpired, refusal: refusal, line: line)
                    )
                case .needs(let step): return .needs(.proof(step))
                }
            case .revoked: return .refused(.tokenRevoked)
            case .unknown: return .refused(.revocationsUnknown)
            }
        }
    }

    private func verify(
        _ token: Span<UInt8>,
        for tenant: TenantRuntime,
        _ memory: TokenMemory?,
        _ question: DecisionQuestion,
        allowing: AllowedSteps
    ) -> Authentication {
        let now = question.now
        let isCounted = question.decisionContext.countsToken()
        if let caller = memory?.last?.caller(ofTenant: tenant.index, token: token, at: now) {
            if isCounted { cacheCounts.hits += 1 }
            if now >= caller.lifetime.askedAgainFrom { askAgain(caller, tenant, token) }
            return .verified(caller)
        }
        let key = TokenCache.Key(hash: sipHash.hash(token, seed: UInt64(tenant.index.value)), tenant: tenant.index)
        if let entry = verified.entry(key, token: token, at: now) {
            if isCounted { cacheCounts.hits += 1 }
            guard now < entry.caller.lifetime.refusedFrom else { return .expired(entry.caller) }
            if now >= entry.caller.lifetime.askedAgainFrom { askAgain(entry.caller, tenant, token) }
            memory?.last = entry
            return .verified(entry.caller)
        }
        if let refusal = refused.refusal(key, at: now) {
            if isCounted { cacheCounts.refusedHits += 1 }
            return .refused(refusal)
        }
        if isCounted { cacheCounts.misses += 1 }
        if let introspecting = tenant.verification.introspecting, OpaqueToken.isOpaque(token) {
            return introspect(token, introspecting, key, question, allowing: allowing)
        }
        if allowing.contains(.signature), let cost = tenant.verification.slowCheckCost,
            !slowChecks.allows(cost, at: now)
        {
            let copy = token.withUnsafeBufferPointer(Array.init)
            let check = SignatureStep(
                tenant: tenant.index,
                token: copy,
                key: key,
                now: now,
                keyGeneration: tenant.verification.keyGeneration
            )
            return .needs(.signature(check))
        }
        do throws(VerificationFailure) {
            let verified = try tenant.verification.verifier.verify(
                token,
                at: now,
                refreshableFor: tenant.verification.refreshGrace
            )
            let caller = remember(verified.principal, tenant, key, token)
            return verified.isExpired ? .expired(caller) : .verified(caller)
        } catch {
            return refused(error, tenant, key, mayAsk: allowing.contains(.keys), at: now)
        }
    }

    /// An opaque token of which nothing is remembered.
    private func introspect(
        _ token: Span<UInt8>,
        _ introspecting: TenantIntrospecting,
        _ key: TokenCache.Key,
        _ question: DecisionQuestion,
        allowing: AllowedSteps
    ) -> Authentication {
        let now = question.now
        if let finding = question.decisionContext.steps.introspected, finding.isOf(token, tenant: key.tenant) {
            switch finding.verdict {
            case .verified(let caller): return .verified(caller)
            case .refused(let refusal): return .refused(refusal)
            }
        }
        guard OpaqueToken.isWellFormed(token) else { return .refused(remember(.malformedOpaque, key, at: now)) }
        if let seconds = introspecting.retryAfterSeconds(at: now) {
            return .refused(.introspectionUnavailable(retryAfterSeconds: seconds))
        }
        guard allowing.contains(.introspection) else {
            return .refused(.introspectionUnavailable(retryAfterSeconds: 1))
        }
        let rules = introspecting.rules
        question.decisionContext.explanation?.note(
            .verify,
            "the token is opaque: its server is asked about it (\(rules.name))",
            line: rules.line
        )
        let copy = token.withUnsafeBufferPointer(Array.init)
        let asked = IntrospectionQuestion(tenant: key.tenant, token: copy)
        return .needs(.introspection(IntrospectionStep(question: asked, key: key)))
    }

    /// The server's answer is good still, and will not be for long.
    private func askAgain(_ caller: Caller, _ tenant: TenantRuntime, _ token: Span<UInt8>) {
        caller.lifetime.askedAgainFrom = .distantFuture
        guard dueIntrospections.count < Self.mostDueIntrospections else { return }
        let key = TokenCache.Key(hash: sipHash.hash(token, seed: UInt64(tenant.index.value)), tenant: tenant.index)
        let copy = token.withUnsafeBufferPointer(Array.init)
        let question = IntrospectionQuestion(tenant: tenant.index, token: copy, isAhead: true)
        dueIntrospections.append(IntrospectionStep(question: question, key: key))
    }

    /// What is to be asked about ahead of time, each once.
    package func takeDueIntrospections() -> [IntrospectionStep] {
        guard !dueIntrospections.isEmpty else { return [] }
        defer { dueIntrospections = [] }
        return dueIntrospections
    }

    /// A failure that new keys of the issuer may mend is no refusal before they were asked for.
    private func refused(
        _ failure: VerificationFailure,
        _ tenant: TenantRuntime,
        _ key: TokenCache.Key,
        mayAsk: Bool,
        at now: UnixTime
    ) -> Authentication {
        guard let place = failure.issuerPlace, place < tenant.verification.keyQuestions.count,
            let source = tenant.verification.keyQuestions[place]
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
    package func forgetTokens() {
        verified.removeAll()
    }

    /// Counts on from what another has counted.
    package func countOn(from other: Authenticator) { cacheCounts = other.cacheCounts }

    /// Issuers have other keys: what was verified may not be any more, and what was refused may be good.
    ///
    /// - Parameter source: The source of the keys; nil if it is not a remote one.
    package func keysChanged(source: Int?) {
        verified.removeAll()
        refused.removeAll()
        if let source { keyQuestions.answered(source, .decideAgain, at: .distantPast) }
    }

    /// Takes note of what came of a signature check, so that the next decision finds it.
    package func settle(
        _ step: SignatureStep,
        _ outcome: Result<VerifiedToken, VerificationFailure>,
        _ tenant: TenantRuntime
    ) {
        // It was made with keys that are not the issuer's any more.
        guard step.keyGeneration == tenant.verification.keyGeneration else { return }
        switch outcome {
        case .success(let verified): _ = remember(verified.principal, tenant, step.key, step.token.span)
        case .failure(let failure):
            if failure.issuerPlace == nil { _ = remember(failure, step.key, at: step.now) }
        }
    }

    /// Takes note of what a token's server said.
    ///
    /// - Returns: What it means for a request that waited for it.
    package func settle(
        _ step: IntrospectionStep,
        _ outcome: IntrospectionOutcome,
        _ tenant: TenantRuntime,
        at now: UnixTime
    ) -> IntrospectionFinding {
        switch outcome {
        case .active(let principal, let belief):
            let caller = Caller(principal, tenant: tenant.tenant, belief: belief)
            verified.remove(step.key, token: step.question.token.span)
            if now < caller.lifetime.refusedFrom { verified.insert(caller, step.key, token: step.question.token.span) }
            return IntrospectionFinding(step, .verified(caller))
        case .refused(let failure, let until):
            verified.remove(step.key, token: step.question.token.span)
            let refusal = Self.refusal(for: failure)
            refused.insert(refusal, step.key, at: now, for: min(until - now, RefusedTokenCache.lifetime))
            return IntrospectionFinding(step, .refused(refusal))
        case .unavailable(let seconds, _):
            return IntrospectionFinding(step, .refused(.introspectionUnavailable(retryAfterSeconds: seconds)))
        case .overloaded: return IntrospectionFinding(step, .refused(.introspectionOverloaded))
        }
    }

    package func settle(_ step: KeyStep, _ answer: KeySetAnswer, at now: UnixTime) {
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

    private func remember(_ failure: VerificationFailure, _ key: TokenCache.Key, at now: UnixTime) -> Refusal {
        let refusal = Self.refusal(for: failure)
        if !failure.mayPass { refused.insert(refusal, key, at: now) }
        return refusal
    }

    private static func refusal(for failure: VerificationFailure) -> Refusal {
        failure.isExpiry ? .tokenExpired : Refusal(.invalidToken, status: 401, detail: failure.summary)
    }
}
