import Counting
import HTTPCore
import IdentityProvider
import Tenants

/// The checks of a request before authentication.
extension Authorizer {
    /// Requests must come on connections opened for their tenant (RFC 9110 section 7.4).
    func checkConnection(_ input: DecisionInput, _ bytes: Span<UInt8>) -> Decision? {
        let (decisionContext, tenant) = (input.decisionContext, input.request.tenant)
        guard decisionContext.source.isReceivedHere else { return nil }
        let isCovered =
            decisionContext.peer?.tls?.covers(input.request, bytes, router, decisionContext.shownCertificates)
            ?? !tenant.needsClientCertificate
        return isCovered ? nil : .refused(misdirected(decisionContext.peer?.tls), tenant)
    }

    private func misdirected(_ tls: PeerTLS?) -> Refusal {
        guard let tls, !tls.namedHost else { return .misdirected }
        return .misdirected(to: router.hosts(withCertificate: tls.files), byAddress: tls.serverName != nil)
    }

    /// Answers CORS preflights.
    func checkPreflight(_ input: DecisionInput, _ bytes: Span<UInt8>) -> Decision? {
        let (decisionContext, tenant) = (input.decisionContext, input.request.tenant)
        guard let sharing = tenant.browsers.crossOrigin, decisionContext.source.answersPreflights,
            !decisionContext.isAdmitted
        else { return nil }
        switch sharing.preflight(input.head, bytes, decisionContext.explanation) {
        case .none: return nil
        case .preflight(let preflight): return .preflight(preflight, tenant)
        case .refused(let refusal): return refuse(input, refusal, nil)
        }
    }

    /// The limits by address and for the whole tenant. They count a request once, however often it is decided on.
    func checkLimitsForEverybody(_ input: DecisionInput, _ bytes: Span<UInt8>) -> Decision? {
        let (decisionContext, tenant) = (input.decisionContext, input.request.tenant)
        guard !decisionContext.isAdmitted else { return nil }
        decisionContext.isAdmitted = true
        guard let limits = tenant.limits,
            let finding = limits.exceeded(
                beforeAuthentication: input.request.request,
                tenant.endpoints,
                bytes,
                decisionContext,
                at: input.now
            )
        else { return nil }
        return refuse(input, finding)
    }

    /// `limits.body_bytes`, for a body with a known length.
    func checkContentLength(_ input: DecisionInput) -> Decision? {
        guard let limit = input.request.limits.bodyBytes, input.decisionContext.source.isServedHere,
            case .length(let length) = input.head.framing, length > limit
        else { return nil }
        return .refused(.payloadTooLarge, input.request.tenant)
    }

    /// Where the backend gets the path as received, a path that this gateway would rewrite is ambiguous.
    ///
    /// In observe mode it passes like other ambiguous paths; but not if the other proxy, which resolves no dot
    /// segments, may read it as the path of another tenant.
    func checkForwardedPath(_ input: DecisionInput, _ bytes: Span<UInt8>) -> Decision? {
        let (decisionContext, request) = (input.decisionContext, input.request)
        guard decisionContext.source.isForwardedAsReceived, request.path == .rewritten,
            UnrewrittenPath.isUnsafe(bytes.extracting(request.target.path))
        else { return nil }
        let tenant = request.tenant
        guard tenant.tenant.mode == .observe, !router.hostHasPathPrefix(request) else {
            return .refused(.ambiguousPath, tenant)
        }
        decisionContext.note(ObservedRefusal(refusal: .ambiguousPath, line: tenant.tenant.lines["mode"] ?? 0))
        return nil
    }

    /// The gateway's own endpoints, and sign-ins that it checks, in any reading of the path: a backend that merges
    /// slashes must not be reachable past a check.
    func checkEndpoint(_ input: DecisionInput, _ bytes: Span<UInt8>) -> Decision? {
        let (decisionContext, request) = (input.decisionContext, input.request)
        if let own = request.ownEndpoint { return decide(own, input, bytes) }
        let table = request.tenant.endpoints
        guard !table.isEmpty, decisionContext.signIn == nil, request.path != .ambiguous else { return nil }
        var found: Endpoint?
        let method = bytes.extracting(input.head.method)
        _ = request.request.inAnyReading(bytes) { path in
            found = table.endpoint(at: path, method: method)
            return found != nil
        }
        guard let found else { return nil }
        return decide(found, input, bytes)
    }

    /// A request that has neither a route nor a default backend. Another proxy that asks has routes of its own.
    func checkRoute(_ input: DecisionInput) -> Decision? {
        let request = input.request
        guard request.route == nil, request.tenant.defaultBackend == nil, input.decisionContext.source.isServedHere
        else {
            return nil
        }
        return .refused(.noRoute, request.tenant)
    }

    /// - Returns: Nil if the tenant's rules decide instead, at an endpoint that forwards: for a browser's preflight,
    ///   and for requests that observe mode lets pass.
    private func decide(_ endpoint: Endpoint, _ input: DecisionInput, _ bytes: Span<UInt8>) -> Decision? {
        let (decisionContext, request, head) = (input.decisionContext, input.request, input.head)
        let tenant = request.tenant
        let forwards = tenant.forwardsSignIns(endpoint)
        let isServedHere = decisionContext.source.isServedHere
        // A browser first asks whether it may send one (Fetch section 3.2.2); the app answers.
        if forwards, bytes.isEqual(head.method, to: "OPTIONS"), !isServedHere || head.framing == .none { return nil }
        decisionContext.explanation?.note(endpoint, of: tenant, query: request.target.query, bytes)
        guard isServedHere, let refusal = EndpointHeadCheck.refusal(endpoint, head, bytes) else {
            return .endpoint(endpoint, request)
        }
        guard forwards, tenant.tenant.mode == .observe else {
            decisionContext.explanation?.note(.endpoint, refusal.detail)
            return .refused(refusal, tenant)
        }
        decisionContext.signIn = CheckedSignIn(observed: refusal.code)
        decisionContext.note(ObservedRefusal(refusal: refusal, line: tenant.tenant.lines["mode"] ?? 0))
        return nil
    }
}
