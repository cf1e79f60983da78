import ConfigurationText
import Tenants

/// Prevents pages of other sites from acting with a visitor's cookies (CSRF), in the form for the request path.
final class CrossSiteGuard {
    let mode: Tenant.Mode
    let line: SourceLine
    private let trust: CrossSiteTrust

    init(_ tenant: Tenant) {
        mode = tenant.crossSite.mode
        line = tenant.crossSite.line
        trust = CrossSiteTrust(tenant.crossSite.trustedOrigins)
    }

    /// Whether a request whose token came by cookie may come from a page of another site.
    func refuses(_ request: CanonicalRequest, _ bytes: Span<UInt8>, _ decisionContext: DecisionContext) -> Bool {
        let head = request.head
        let fields = BrowserFields(head, bytes)
        let explanation = decisionContext.explanation
        guard fields.asksForWebSocket || !Self.isSafe(bytes.extracting(head.method)) else {
            explanation?.note(.csrf, "a request that changes nothing may come from any page")
            return false
        }
        guard !fields.isAmbiguous else {
            explanation?.note(.csrf, "Origin or Sec-Fetch-Site can be read in several ways", line: line)
            return true
        }
        let authority = request.target.authority ?? head.host.map { head.fields[$0].value } ?? 0..<0
        let verdict = trust.evaluate(
            bytes,
            origin: fields.origin,
            fetchSite: fields.fetchSite,
            authority: authority,
            isSecure: ClientScheme.read(head, bytes, decisionContext).isSecure
        )
        explanation?.note(.csrf, verdict.explanation, line: line)
        return !verdict.isAllowed
    }

    /// RFC 9110 section 9.2.1. Any other method may change something.
    private static func isSafe(_ method: Span<UInt8>) -> Bool {
        method.isExactly("GET") || method.isExactly("HEAD") || method.isExactly("OPTIONS")
            || method.isExactly("TRACE")
    }
}

extension CrossSiteTrust.Verdict {
    fileprivate var explanation: String {
        switch self {
        case .trustedOrigin: "the page's origin is one of csrf.trusted_origins, or of cors.origins with credentials"
        case .ownOrigin: "the page's origin is the request's own"
        case .contradiction: "Origin is the request's own, but Sec-Fetch-Site says that another site asked"
        case .foreignOrigin:
            "the page's origin is neither the request's own nor trusted: add it to csrf.trusted_origins; behind a "
                + "proxy that ends TLS see gateway.trusted_proxies and X-Forwarded-Proto"
        case .ownSite: "there is no Origin, and Sec-Fetch-Site says that no other site asked"
        case .foreignSite: "there is no Origin, and Sec-Fetch-Site says that another site asked"
        case .noBrowser: "neither Origin nor Sec-Fetch-Site: no browser asked"
        }
    }
}

extension Span where Element == UInt8 {
    fileprivate func isExactly(_ text: StaticString) -> Bool { isExactly(text, 0..<count) }
}
