import Tenants
import Verification

/// Leave to reach a tenant's backend. Only ``AccessDecision`` gives one, and forwarding takes nothing else.
struct Grant {
    let request: RoutedRequest
    /// Nil where nobody had to be known and no good token came, and for what observe mode lets through.
    let caller: Caller?
    /// What is counted and logged: in observe mode the refusal that would have been.
    let outcome: Outcome

    fileprivate init(request: RoutedRequest, caller: Caller?, outcome: Outcome) {
        self.request = request
        self.caller = caller
        self.outcome = outcome
    }
}

/// The entry of a connection's last token. A client sends the same one with each request, and comparing it costs less
/// than hashing it to find it again.
final class TokenMemory {
    fileprivate(set) var last: TokenCache.Entry?
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
    private(set) var cacheCounts = TokenCacheCounts()

    init(router: RequestRouter) {
        self.router = router
    }

    /// - Parameters:
    ///   - memory: What is remembered of the connection's last token; nil where there is no connection.
    ///   - mayNeed: Whether a slow step may be asked for; not when one was just done for this request.
    ///   - now: Unix seconds.
    func decide(
        _ request: RoutedRequest,
        _ head: RequestHead,
        _ bytes: Span<UInt8>,
        memory: TokenMemory? = nil,
        mayNeed: Bool,
        at now: Double
    ) -> Answer {
        let rules = Rules(router, request, head, bytes)
        switch authenticate(request, head, bytes, memory, mayNeed: mayNeed, at: now) {
        case .needs(let step): return .needs(step)
        case .verified(let caller):
            if request.path == .ambiguous { return refuse(request, .ambiguousPath, caller) }
            if rules.isOpenToAnyone { return grant(request, caller) }
            if let refusal = rules.refusal(of: caller) { return refuse(request, refusal, caller) }
            return grant(request, caller)
        case .refused(let refusal):
            if request.path == .ambiguous { return refuse(request, .ambiguousPath, nil) }
            // A bad token is ignored where none is needed, but several of them are someone's trick.
            if rules.isOpenToAnyone && refusal.code != .badRequest { return grant(request, nil) }
            return refuse(request, refusal, nil)
        }
    }

    private func grant(_ request: RoutedRequest, _ caller: Caller?) -> Answer {
        .granted(Grant(request: request, caller: caller, outcome: caller == nil ? .anonymous : .granted))
    }

    /// A refusal, or in observe mode the grant that takes note of it. Only who was verified is vouched for.
    private func refuse(_ request: RoutedRequest, _ refusal: Refusal, _ caller: Caller?) -> Answer {
        guard request.tenant.tenant.mode == .observe else { return .refused(refusal) }
        return .granted(Grant(request: request, caller: caller, outcome: .refused(refusal.code)))
    }

    // MARK: Who is it

    private enum Authentication {
        case verified(Caller)
        case refused(Refusal)
        case needs(SlowStep)
    }

    private func authenticate(
        _ request: RoutedRequest,
        _ head: RequestHead,
        _ bytes: Span<UInt8>,
        _ memory: TokenMemory?,
        mayNeed: Bool,
        at now: Double
    ) -> Authentication {
        let sources = request.tenant.tenant.authenticate.from
        switch TokenFinder.find(head, bytes, query: request.target.query, in: sources) {
        case .missing: return .refused(.missingToken)
        case .several: return .refused(.severalTokens)
        case .token(let range):
            return verify(bytes.extracting(range), for: request.tenant, memory, mayNeed: mayNeed, at: now)
        }
    }

    /// A token that was verified in a slow step was counted before it.
    private func verify(
        _ token: Span<UInt8>,
        for tenant: TenantRuntime,
        _ memory: TokenMemory?,
        mayNeed: Bool,
        at now: Double
    ) -> Authentication {
        if let caller = memory?.last?.caller(ofTenant: tenant.index, token: token, at: now) {
            if mayNeed { cacheCounts.hits += 1 }
            return .verified(caller)
        }
        let key = TokenCache.Key(hash: sipHash.hash(token, seed: UInt64(tenant.index)), tenant: tenant.index)
        if let entry = verified.entry(key, token: token, at: now) {
            if mayNeed { cacheCounts.hits += 1 }
            memory?.last = entry
            return .verified(entry.caller)
        }
        if let refusal = refused.refusal(key, at: now) {
            if mayNeed { cacheCounts.refusedHits += 1 }
            return .refused(refusal)
        }
        if mayNeed { cacheCounts.misses += 1 }
        if mayNeed, let cost = tenant.slowCheckCost, !slowChecks.allows(cost, at: now) {
            let copy = token.withUnsafeBufferPointer(Array.init)
            return .needs(SlowStep(tenant: tenant.index, token: copy, key: key, now: now))
        }
        do throws(VerificationFailure) {
            return .verified(remember(try tenant.verifier.verify(token, at: now), tenant, key, token))
        } catch {
            return .refused(remember(error, key, at: now))
        }
    }

    /// What was verified holds no longer: there is another configuration, or none.
    func forgetTokens() {
        verified.removeAll()
    }

    /// Takes note of what came of a slow step, so that the next decision finds it.
    func settle(_ step: SlowStep, _ outcome: Result<Principal, VerificationFailure>, _ tenant: TenantRuntime) {
        switch outcome {
        case .success(let principal): _ = remember(principal, tenant, step.key, step.token.span)
        case .failure(let failure): _ = remember(failure, step.key, at: step.now)
        }
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

    // MARK: May they

    /// The rules that bear on a request: that of its path as forwarded, and that of the reading in which slashes are
    /// merged and parameters dropped, where it differs. Both must let the caller through.
    private struct Rules {
        private let rules: AccessRules
        private let first: Int?
        private let second: Int?
        private let hasSecond: Bool

        init(_ router: RequestRouter, _ request: RoutedRequest, _ head: RequestHead, _ bytes: Span<UInt8>) {
            let rules = request.tenant.tenant.access
            self.rules = rules
            let method = bytes.extracting(head.method)
            guard !rules.rules.isEmpty, request.path != .ambiguous else {
                (first, second, hasSecond) = (nil, nil, false)
                return
            }
            first = router.withMatchedPath(request, bytes) { rules.firstMatch(method: method, path: $0) }
            if request.path == .rewritten, let reduced = router.canonical.reduced {
                second = rules.firstMatch(method: method, path: reduced.span)
                hasSecond = true
            } else {
                (second, hasSecond) = (nil, false)
            }
        }

        var isOpenToAnyone: Bool {
            isOpen(first) && (!hasSecond || isOpen(second))
        }

        func refusal(of caller: Caller) -> Refusal? {
            refusal(of: caller, by: first) ?? (hasSecond ? refusal(of: caller, by: second) : nil)
        }

        private func isOpen(_ index: Int?) -> Bool {
            guard let index else { return false }
            return rules.rules[index].allow == .anyone
        }

        private func refusal(of caller: Caller, by index: Int?) -> Refusal? {
            guard let index else { return nil }
            switch caller.verdict(of: rules, at: index) {
            case .allowed: return nil
            case .lacksRole:
                return Refusal(
                    .insufficientRole,
                    status: 403,
                    detail: "the caller has none of the roles that this path needs"
                )
            case .lacksScope:
                return Refusal(
                    .insufficientScope,
                    status: 403,
                    detail: "the token lacks a scope that this path needs",
                    neededScopes: Self.scopes(rules.rules[index].allow)
                )
            }
        }

        private static func scopes(_ allow: AccessRule.Allow) -> [String] {
            guard case .signedIn(_, let scopes) = allow else { return [] }
            return scopes
        }
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
