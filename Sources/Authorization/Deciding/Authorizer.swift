import HTTPCore
package import IdentityProvider
package import Time

/// Decides whether a request may pass. One function without I/O for all callers: the proxy, other proxies by
/// forward-auth and ext_authz, `explain`, and the tests in tenants.yaml all get the same decision.
package final class Authorizer {
    package enum Decision {
        case granted(Grant)
        /// - Parameter 1: Nil if no tenant was found.
        indirect case refused(Refusal, TenantRuntime?)
        /// A browser's preflight, which the gateway answers.
        case preflight(Preflight, TenantRuntime)
        /// Over plain HTTP, where the gateway sends clients to the same URL over TLS.
        case redirect(location: String, TenantRuntime)
        /// One of the gateway's own endpoints, or a sign-in that it checks before the backend.
        case endpoint(Endpoint, RoutedRequest)
        /// Undecided: once the step is done, the request is decided on again.
        case pending(SlowStep, RoutedRequest)
    }

    package let router: RequestRouter
    package let authenticator: Authenticator
    /// `gateway.redirect_https`.
    let redirectsToHTTPS: Bool

    /// - Parameters:
    ///   - authenticator: The loop's.
    ///   - redirectsToHTTPS: `gateway.redirect_https`.
    package init(
        router: RequestRouter,
        authenticator: Authenticator = Authenticator(),
        redirectsToHTTPS: Bool = false
    ) {
        self.router = router
        self.authenticator = authenticator
        self.redirectsToHTTPS = redirectsToHTTPS
    }

    /// Runs the checks in order. The first that does not let the request pass ends them.
    ///
    /// - Parameters:
    ///   - received: Parsed from `bytes`. Its host and path are read here.
    ///   - context: Of this request alone; findings for the next pass are noted there.
    package func authorize(
        _ received: ReceivedRequest,
        _ bytes: Span<UInt8>,
        _ decisionContext: DecisionContext,
        at now: UnixTime
    ) -> Decision {
        let request: RoutedRequest
        switch route(received, bytes, decisionContext.explanation) {
        case .refused(let refusal, let tenant): return .refused(refusal, tenant)
        case .routed(let routed): request = routed
        }
        let input = DecisionInput(request: request, head: received.head, decisionContext: decisionContext, now: now)
        if let decision = checkScheme(input, bytes) { return decision }
        if let decision = checkConnection(input, bytes) { return decision }
        if let decision = checkPreflight(input, bytes) { return decision }
        if let decision = checkLimitsForEverybody(input, bytes) { return decision }
        if let decision = checkAppVersion(input, bytes) { return decision }
        if let decision = checkContentLength(input) { return decision }
        if let decision = checkForwardedPath(input, bytes) { return decision }
        if let decision = checkEndpoint(input, bytes) { return decision }
        if let decision = checkRoute(input) { return decision }
        guard let login = input.request.tenant.login else { return authorizeCaller(input, bytes) }
        return leadingToSignIn(authorizeCaller(input, bytes), input, bytes, login: login)
    }

    /// The checks of the caller, in order. If no caller is needed, an invalid token is no reason to refuse; the access
    /// rules, at the end, decide that.
    private func authorizeCaller(_ input: DecisionInput, _ bytes: Span<UInt8>) -> Decision {
        let isSignIn = input.decisionContext.signIn != nil
        let rules = RequestRules(input.request, input.head, bytes, isSignIn: isSignIn)
        if !isSignIn, input.decisionContext.countsRules() {
            input.request.tenant.count(rules)
            input.request.tenant.count(input.request.route)
        }
        let authentication = authenticate(input, bytes)
        if let decision = checkAmbiguousPath(input, authentication) { return decision }
        if let decision = refreshExpired(input, bytes, rules, authentication) { return decision }
        if let decision = checkLimitsOfCaller(input, bytes, rules, authentication) { return decision }
        return checkAccessRules(input, rules, authentication)
    }

    /// The checks of the token, in order.
    private func authenticate(_ input: DecisionInput, _ bytes: Span<UInt8>) -> Authentication {
        let (token, source): (Range<Int>, Int)
        switch findToken(input, bytes) {
        case .missing: return .refused(.missingToken)
        case .several: return .refused(.severalTokens)
        case .token(let range, let index): (token, source) = (range, index)
        }
        // A tenant with one location, and a token at the last one, have nothing more to look for.
        if source < input.request.tenant.tokenSources.last,
            let authentication = authenticateSeveral(PresentedRange(range: token, source: source), input, bytes)
        {
            return authentication
        }
        if let refused = checkCrossSite(source, input, bytes) { return refused }
        let verified = verify(token, input, bytes)
        let (caller, isExpired): (Caller, Bool)
        switch verified {
        case .verified(let current): (caller, isExpired) = (current, false)
        case .expired(let past): (caller, isExpired) = (past, true)
        case .refused, .unproven, .needs: return verified
        }
        if let refused = checkRevocation(caller, input) { return refused }
        return checkBinding(caller, isExpired: isExpired, token, input, bytes) ?? verified
    }

    private func route(
        _ received: ReceivedRequest,
        _ bytes: Span<UInt8>,
        _ explanation: Explanation?
    ) -> RequestRouter.Outcome {
        let outcome = router.route(received, bytes)
        if let explanation { explanation.note(outcome, received, bytes) }
        return outcome
    }
}
