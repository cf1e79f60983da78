import Tenants
import Verification

/// Leave to reach a tenant's backend. Only ``AccessDecision`` gives one, and forwarding takes nothing else.
struct Grant {
    let request: RoutedRequest
    /// Nil where nobody had to be known and no good token came, and for what observe mode lets through.
    let caller: Caller?
    /// What is counted and logged: in observe mode the refusal that would have been.
    let outcome: Outcome
    /// Whether the caller's token is revoked if the backend answers with success.
    let endsSession: Bool

    fileprivate init(request: RoutedRequest, caller: Caller?, outcome: Outcome, endsSession: Bool) {
        self.request = request
        self.caller = caller
        self.outcome = outcome
        self.endsSession = endsSession
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
    static let all: AllowedSteps = [.signature, .keys]

    /// What is left after a step.
    func after(_ step: SlowStep) -> AllowedSteps {
        switch step {
        case .signature: subtracting(.signature)
        case .keys: subtracting(.keys)
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
    ///   - allowing: The slow steps that may still be asked for.
    ///   - now: Unix seconds.
    func decide(
        _ request: RoutedRequest,
        _ head: RequestHead,
        _ bytes: Span<UInt8>,
        memory: TokenMemory? = nil,
        allowing: AllowedSteps,
        at now: Double
    ) -> Answer {
        let rules = Rules(router, request, head, bytes)
        switch authenticate(request, head, bytes, memory, allowing: allowing, at: now) {
        case .needs(let step): return .needs(step)
        case .verified(let caller):
            if request.path == .ambiguous { return refuse(request, .ambiguousPath, caller) }
            if !rules.isOpenToAnyone, let refusal = rules.refusal(of: caller) {
                return refuse(request, refusal, caller, endsSession: rules.endsSession)
            }
            return .granted(
                Grant(request: request, caller: caller, outcome: .granted, endsSession: rules.endsSession)
            )
        case .refused(let refusal):
            if request.path == .ambiguous { return refuse(request, .ambiguousPath, nil) }
            // A bad token is ignored where none is needed, but several of them are someone's trick; and who cannot be
            // known at the moment cannot be signed out either.
            let isSignOut = rules.endsSession && refusal.code == .storeUnavailable
            if rules.isOpenToAnyone && refusal.code != .badRequest && !isSignOut {
                return .granted(Grant(request: request, caller: nil, outcome: .anonymous, endsSession: false))
            }
            return refuse(request, refusal, nil)
        }
    }

    /// A refusal, or in observe mode the grant that takes note of it. Only who was verified is vouched for.
    private func refuse(
        _ request: RoutedRequest,
        _ refusal: Refusal,
        _ caller: Caller?,
        endsSession: Bool = false
    ) -> Answer {
        guard request.tenant.tenant.mode == .observe else { return .refused(refusal) }
        return .granted(
            Grant(request: request, caller: caller, outcome: .refused(refusal.code), endsSession: endsSession)
        )
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
            guard case .verified(let caller) = authentication else { return authentication }
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
            return .verified(remember(try tenant.verifier.verify(token, at: now), tenant, key, token))
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
    func settle(_ step: SignatureStep, _ outcome: Result<Principal, VerificationFailure>, _ tenant: TenantRuntime) {
        // It was made with keys that are not the issuer's any more.
        guard step.keyGeneration == tenant.keyGeneration else { return }
        switch outcome {
        case .success(let principal): _ = remember(principal, tenant, step.key, step.token.span)
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

    // MARK: May they

    /// The rules that bear on a request: that of its path as forwarded, and that of the reading in which slashes are
    /// merged and parameters dropped, where it differs. Both must let the caller through.
    private struct Rules {
        private let rules: AccessRules
        private let first: Int?
        private let second: Int?
        private let hasSecond: Bool
        /// Whether `revoke_on` names the request.
        let endsSession: Bool

        init(_ router: RequestRouter, _ request: RoutedRequest, _ head: RequestHead, _ bytes: Span<UInt8>) {
            let rules = request.tenant.tenant.access
            self.rules = rules
            let method = bytes.extracting(head.method)
            endsSession = Self.endsSession(router, request, method, bytes)
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

        /// In either reading: a backend that merges slashes signs out too.
        private static func endsSession(
            _ router: RequestRouter,
            _ request: RoutedRequest,
            _ method: Span<UInt8>,
            _ bytes: Span<UInt8>
        ) -> Bool {
            let tenant = request.tenant
            guard !tenant.tenant.revokeOn.isEmpty, request.path != .ambiguous else { return false }
            if router.withMatchedPath(request, bytes, { tenant.endsSession(method: method, path: $0) }) { return true }
            guard request.path == .rewritten, let reduced = router.canonical.reduced else { return false }
            return tenant.endsSession(method: method, path: reduced.span)
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
