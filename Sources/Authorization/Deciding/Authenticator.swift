package import Counting
package import SharedState
package import Tenants
package import Time
package import Verification

/// Verifies tokens, and caches the results. One per event loop, for all configurations that it serves.
package final class Authenticator {
    private let hasher = TokenHasher()
    private let verified = TokenCache()
    private let refused = RefusedTokenCache()
    private var slowChecks = SlowCheckBudget()
    private var keyFetchLimiter = KeyFetchLimiter()
    /// Tokens to introspect again before their cached results expire.
    private var dueIntrospections: [IntrospectionStep] = []
    package private(set) var cacheCounts = TokenCacheCounts()

    /// Between two ticks of the loop.
    private static let maximumDueIntrospections = 1024

    package init() {}

    /// The caller of a token, from the cache or by its signature, or the step that is needed first.
    func verify(_ token: Span<UInt8>, _ input: DecisionInput) -> Authorizer.Authentication {
        let (tenant, now) = (input.request.tenant, input.now)
        let memory = input.decisionContext.tokenMemory
        let isCounted = input.decisionContext.countsToken()
        if let caller = memory?.last?.caller(ofTenant: tenant.revision, token: token, at: now) {
            if isCounted { cacheCounts.hits += 1 }
            if now >= caller.lifetime.introspectedAgainFrom { introspectAgain(caller, tenant, token) }
            return .verified(caller)
        }
        let key = key(of: token, tenant)
        if let entry = verified.entry(key, token: token, at: now) {
            if isCounted { cacheCounts.hits += 1 }
            guard now < entry.caller.lifetime.refusedFrom else { return .expired(entry.caller) }
            if now >= entry.caller.lifetime.introspectedAgainFrom { introspectAgain(entry.caller, tenant, token) }
            memory?.last = entry
            return .verified(entry.caller)
        }
        let digest = hasher.digest(of: token, tenant: tenant.revision)
        if let refusal = refused.refusal(digest, at: now) {
            if isCounted { cacheCounts.refusedHits += 1 }
            return .refused(refusal)
        }
        if isCounted { cacheCounts.misses += 1 }
        if let introspecting = tenant.verification.introspecting, OpaqueToken.isOpaque(token) {
            return introspect(token, introspecting, key, digest, input)
        }
        let allowed = input.decisionContext.steps.allowed
        if allowed.contains(.signature), let cost = tenant.verification.slowCheckCost,
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
            return refused(error, tenant, digest, mayFetch: allowed.contains(.keys), at: now)
        }
    }

    private func key(of token: Span<UInt8>, _ tenant: TenantRuntime) -> TokenCache.Key {
        hasher.key(of: token, tenant: tenant.revision, mayBeOpaque: tenant.verification.introspecting != nil)
    }

    /// An opaque token without a cached result.
    private func introspect(
        _ token: Span<UInt8>,
        _ introspecting: TenantIntrospecting,
        _ key: TokenCache.Key,
        _ digest: TokenDigest,
        _ input: DecisionInput
    ) -> Authorizer.Authentication {
        let now = input.now
        if let finding = input.decisionContext.introspectionFinding(for: token, tenant: key.tenant.tenant) {
            switch finding.verdict {
            case .verified(let caller): return .verified(caller)
            case .refused(let refusal): return .refused(refusal)
            }
        }
        guard OpaqueToken.isWellFormed(token) else { return .refused(remember(.malformedOpaque, digest, at: now)) }
        if let seconds = introspecting.retryAfterSeconds(at: now) {
            return .refused(.introspectionUnavailable(retryAfterSeconds: seconds))
        }
        guard input.decisionContext.steps.allowed.contains(.introspection) else {
            return .refused(.introspectionUnavailable(retryAfterSeconds: 1))
        }
        let rules = introspecting.rules
        input.decisionContext.explanation?.note(
            .verify,
            "the token is opaque: its server is asked about it (\(rules.name))",
            line: rules.line
        )
        let copy = token.withUnsafeBufferPointer(Array.init)
        let request = IntrospectionRequest(tenant: key.tenant.tenant, token: copy)
        return .needs(.introspection(IntrospectionStep(request: request, key: key, digest: digest)))
    }

    /// The cached result is still valid, but expires soon.
    private func introspectAgain(_ caller: Caller, _ tenant: TenantRuntime, _ token: Span<UInt8>) {
        caller.lifetime.introspectedAgainFrom = .distantFuture
        guard dueIntrospections.count < Self.maximumDueIntrospections else { return }
        let key = key(of: token, tenant)
        let digest = hasher.digest(of: token, tenant: tenant.revision)
        let copy = token.withUnsafeBufferPointer(Array.init)
        let request = IntrospectionRequest(tenant: tenant.index, token: copy, isAhead: true)
        dueIntrospections.append(IntrospectionStep(request: request, key: key, digest: digest))
    }

    /// The introspections to repeat ahead of time, each once.
    package func takeDueIntrospections() -> [IntrospectionStep] {
        guard !dueIntrospections.isEmpty else { return [] }
        defer { dueIntrospections = [] }
        return dueIntrospections
    }

    /// A failure that new keys of the issuer may fix is no refusal before they were requested.
    private func refused(
        _ failure: VerificationFailure,
        _ tenant: TenantRuntime,
        _ digest: TokenDigest,
        mayFetch: Bool,
        at now: UnixTime
    ) -> Authorizer.Authentication {
        guard let index = failure.issuerIndex, let source = tenant.verification.remoteKeySource(ofIssuer: index) else {
            return failure.reason == .keysNotLoaded
                ? .refused(.keysMissing(retryAfterSeconds: 1)) : .refused(remember(failure, digest, at: now))
        }
        let isMissing = failure.reason == .keysNotLoaded
        if mayFetch, keyFetchLimiter.mayFetch(source, at: now) {
            return .needs(.keys(KeyStep(source: source, isMissing: isMissing)))
        }
        if isMissing {
            return .refused(.keysMissing(retryAfterSeconds: keyFetchLimiter.retryAfterSeconds(source, at: now)))
        }
        return .refused(remember(failure, digest, at: now))
    }

    /// Forgets the verified tokens of tenants that are no longer as they were. None of them would be found again.
    package func forgetTokens(where isGone: (TenantRevision) -> Bool) {
        verified.removeAll(where: isGone)
    }

    /// Issuers' keys have changed: verified tokens may be invalid now, and refused ones valid.
    ///
    /// - Parameters:
    ///   - source: The source of the keys.
    ///   - tenants: Those that use it.
    package func keysChanged(source: KeySource, of tenants: Set<TenantIndex>) {
        verified.removeAll { tenants.contains($0.tenant) }
        refused.removeAll()
        if case .remote(let remote) = source { keyFetchLimiter.fetched(remote, .decideAgain, at: .distantPast) }
    }

    /// Stores the result of a signature check, so that the next decision finds it.
    package func settle(
        _ step: SignatureStep,
        _ outcome: Result<VerifiedToken, VerificationFailure>,
        _ tenant: TenantRuntime
    ) {
        // The check used keys that are no longer the issuer's.
        guard step.keyGeneration == tenant.verification.keyGeneration else { return }
        switch outcome {
        case .success(let verified): _ = remember(verified.principal, tenant, step.key, step.token.span)
        case .failure(let failure):
            guard failure.issuerIndex == nil else { return }
            _ = remember(failure, hasher.digest(of: step.token.span, tenant: tenant.revision), at: step.now)
        }
    }

    /// Stores an introspection result.
    ///
    /// - Returns: What it means for a request that waited for it.
    package func settle(
        _ step: IntrospectionStep,
        _ outcome: IntrospectionOutcome,
        _ tenant: TenantRuntime,
        at now: UnixTime
    ) -> IntrospectionFinding {
        switch outcome {
        case .active(let principal, let lifetime):
            let caller = Caller(principal, tenant: tenant.tenant, introspection: lifetime)
            verified.remove(step.key, token: step.request.token.span)
            if now < caller.lifetime.refusedFrom { verified.insert(caller, step.key, token: step.request.token.span) }
            return IntrospectionFinding(step, .verified(caller))
        case .refused(let failure, let until):
            verified.remove(step.key, token: step.request.token.span)
            let refusal = Self.refusal(for: failure)
            refused.insert(refusal, step.digest, at: now, for: min(until - now, RefusedTokenCache.lifetime))
            return IntrospectionFinding(step, .refused(refusal))
        case .unavailable(let seconds, _):
            return IntrospectionFinding(step, .refused(.introspectionUnavailable(retryAfterSeconds: seconds)))
        case .overloaded: return IntrospectionFinding(step, .refused(.introspectionOverloaded))
        }
    }

    package func settle(_ step: KeyStep, _ result: KeySetResult, at now: UnixTime) {
        keyFetchLimiter.fetched(step.source, result, at: now)
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

    private func remember(_ failure: VerificationFailure, _ digest: TokenDigest, at now: UnixTime) -> Refusal {
        let refusal = Self.refusal(for: failure)
        if !failure.mayPass { refused.insert(refusal, digest, at: now) }
        return refusal
    }

    private static func refusal(for failure: VerificationFailure) -> Refusal {
        failure.isExpiry ? .tokenExpired : Refusal(.invalidToken, status: 401, detail: failure.summary)
    }
}
