import HTTPCore
import Tenants

/// The checks of a request's token.
extension Authorizer {
    /// Looks for a token at the tenant's locations, in order.
    func findToken(_ input: DecisionInput, _ bytes: Span<UInt8>) -> TokenFinder.Finding {
        let (request, tenant) = (input.request, input.request.tenant)
        let finding = TokenFinder.find(
            input.head,
            bytes,
            query: request.target.query,
            in: tenant.tokenSources.all,
            takesProofs: tenant.proving != nil
        )
        input.decisionContext.explanation?.note(finding, tenant.tenant)
        return finding
    }

    /// A page of another site must not act with a visitor's cookie: neither with the token's cookie, nor with one that
    /// the backend sees beside a token of the page's own.
    ///
    /// - Parameter source: Index of the token's source.
    func checkCrossSite(_ source: Int, _ input: DecisionInput, _ bytes: Span<UInt8>) -> Authentication? {
        let tenant = input.request.tenant
        guard tenant.tokenSources.mayUseCookie(source) else { return nil }
        let (decisionContext, crossSite) = (input.decisionContext, tenant.browsers.crossSite)
        guard tenant.tokenSources.isCookie(source) || hidesCookie(input, bytes),
            crossSite.refuses(input.request.request, bytes, decisionContext)
        else { return nil }
        guard crossSite.mode == .observe || tenant.tenant.mode == .observe else { return .refused(.crossSite) }
        decisionContext.note(ObservedRefusal(refusal: .crossSite, line: crossSite.line))
        return nil
    }

    /// Whether the backend gets a cookie with a token besides the one in the query or in a custom header.
    private func hidesCookie(_ input: DecisionInput, _ bytes: Span<UInt8>) -> Bool {
        let sources = input.request.tenant.tokenSources
        let query = input.request.target.query
        return TokenFinder.find(input.head, bytes, query: query, in: sources.forwardedCookies) != .missing
    }

    /// Verifies the token.
    func verify(_ token: Range<Int>, _ input: DecisionInput, _ bytes: Span<UInt8>) -> Authentication {
        // A proof that could not be checked affects only bound tokens: see the binding.
        guard input.decisionContext.steps.withoutCapacity.subtracting(.proof).isEmpty else {
            return .refused(.overloaded)
        }
        let token = bytes.extracting(token)
        let authentication = authenticator.verify(token, input)
        input.decisionContext.explanation?.note(authentication, of: token, input.request.tenant, at: input.now)
        return authentication
    }

    func checkRevocation(_ caller: Caller, _ input: DecisionInput) -> Authentication? {
        let tenant = input.request.tenant
        let status = tenant.revocations.status(of: caller, at: input.now)
        input.decisionContext.explanation?.note(status, tenant.tenant)
        return switch status {
        case .good: nil
        case .revoked: .refused(.tokenRevoked)
        case .unknown: .refused(.revocationsUnknown)
        }
    }

    /// A token bound to a key or a certificate needs the proof of it.
    ///
    /// - Parameter token: In the head.
    func checkBinding(
        _ caller: Caller,
        isExpired: Bool,
        _ token: Range<Int>,
        _ input: DecisionInput,
        _ bytes: Span<UInt8>
    ) -> Authentication? {
        let (decisionContext, tenant) = (input.decisionContext, input.request.tenant)
        if caller.confirmation == nil && tenant.proving == nil { return nil }
        let binding = BindingCheck(
            request: input.request.request,
            decisionContext: decisionContext,
            now: input.now,
            tenant: tenant.index,
            proving: tenant.proving,
            caller: caller,
            token: token,
            mayRequest: decisionContext.steps.allowed.contains(.proof)
        )
        return switch binding.verdict(bytes) {
        case .holds: nil
        case .refused(let refusal): .refused(refusal)
        case .observed(let refusal, let line):
            .unproven(UnprovenCaller(caller: caller, isExpired: isExpired, refusal: refusal, line: line))
        case .needs(let step): .needs(.proof(step))
        }
    }
}
