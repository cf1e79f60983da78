import HTTPCore
import Tenants

/// The checks of a request's token.
extension Authorizer {
    /// Looks for a token at the tenant's locations, in order.
    func findToken(_ question: DecisionInput, _ bytes: Span<UInt8>) -> TokenFinder.Finding {
        let (request, tenant) = (question.request, question.request.tenant)
        let finding = TokenFinder.find(
            question.head,
            bytes,
            query: request.target.query,
            in: tenant.tokenSources.all,
            takesProofs: tenant.proving != nil
        )
        question.decisionContext.explanation?.note(finding, tenant.tenant)
        return finding
    }

    /// A page of another site must not act with a visitor's cookie: neither with the token's cookie, nor with one that
    /// the backend sees beside a token of the page's own.
    ///
    /// - Parameter source: Index of the token's source.
    func checkCrossSite(_ source: Int, _ question: DecisionInput, _ bytes: Span<UInt8>) -> Authentication? {
        let (decisionContext, tenant) = (question.decisionContext, question.request.tenant)
        let crossSite = tenant.browsers.crossSite
        guard tenant.tokenSources.isCookie(source) || hidesCookie(source, question, bytes),
            crossSite.refuses(question.request.request, bytes, decisionContext)
        else { return nil }
        guard crossSite.mode == .observe || tenant.tenant.mode == .observe else { return .refused(.crossSite) }
        decisionContext.note(ObservedRefusal(refusal: .crossSite, line: crossSite.line))
        return nil
    }

    /// Whether the token came in the query or a custom header, and the backend also gets a cookie with a token.
    private func hidesCookie(_ source: Int, _ question: DecisionInput, _ bytes: Span<UInt8>) -> Bool {
        let sources = question.request.tenant.tokenSources
        guard !sources.forwardedCookies.isEmpty else { return false }
        switch sources.all[source] {
        // Browsers send the first across sites only after a preflight.
        case .bearer: return false
        case .cookie: return true
        case .query, .header:
            let query = question.request.target.query
            return TokenFinder.find(question.head, bytes, query: query, in: sources.forwardedCookies) != .missing
        }
    }

    /// Verifies the token.
    func verify(_ token: Range<Int>, _ question: DecisionInput, _ bytes: Span<UInt8>) -> Authentication {
        // A proof that could not be checked affects only bound tokens: see the binding.
        guard question.decisionContext.steps.withoutCapacity.subtracting(.proof).isEmpty else {
            return .refused(.overloaded)
        }
        let token = bytes.extracting(token)
        let authentication = authenticator.verify(token, question)
        question.decisionContext.explanation?.note(authentication, of: token, question.request.tenant, at: question.now)
        return authentication
    }

    func checkRevocation(_ caller: Caller, _ question: DecisionInput) -> Authentication? {
        let tenant = question.request.tenant
        let standing = tenant.revocations.standing(of: caller, at: question.now)
        question.decisionContext.explanation?.note(standing, tenant.tenant)
        return switch standing {
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
        _ question: DecisionInput,
        _ bytes: Span<UInt8>
    ) -> Authentication? {
        let (decisionContext, tenant) = (question.decisionContext, question.request.tenant)
        if caller.confirmation == nil && tenant.proving == nil { return nil }
        let binding = BindingCheck(
            request: question.request.request,
            decisionContext: decisionContext,
            now: question.now,
            tenant: tenant.index,
            proving: tenant.proving,
            caller: caller,
            token: token,
            mayAsk: decisionContext.steps.allowed.contains(.proof)
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
