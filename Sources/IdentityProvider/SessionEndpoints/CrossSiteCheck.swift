import Tenants

/// Whether a request for an endpoint may come from a page of another site (CSRF), by the rules of ``CrossSiteTrust``.
struct CrossSiteCheck: Sendable {
    /// Whether violations are only logged.
    let observes: Bool
    private let trust: CrossSiteTrust

    /// Trusts the tenant's `csrf.trusted_origins`, and the origin where its browser sign-in ends.
    init(_ tenant: Tenant) {
        let after = (tenant.signIn?.web?.after).map { [$0] } ?? []
        observes = tenant.crossSite.mode == .observe
        trust = CrossSiteTrust(tenant.crossSite.trustedOrigins + after)
    }

    /// Anything ambiguous counts as cross-site.
    func allows(_ request: EndpointRequest) -> Bool {
        guard !request.fields.isOriginAmbiguous else { return false }
        return allows(
            origin: request.fields.origin,
            fetchSite: request.fields.secFetchSite,
            authority: request.authority,
            isSecure: request.isSchemeKnown ? request.isSecure : nil
        )
    }

    /// - Parameters:
    ///   - origin: The value of `Origin`.
    ///   - fetchSite: The value of `Sec-Fetch-Site`.
    ///   - authority: Host and port of the request.
    ///   - isSecure: Whether the client uses TLS; nil if unknown: then either scheme is accepted.
    func allows(origin: String?, fetchSite: String?, authority: String, isSecure: Bool?) -> Bool {
        var bytes = Array(authority.utf8)
        let host = bytes.indices
        func add(_ text: String) -> Range<Int> {
            let start = bytes.count
            bytes += text.utf8
            return start..<bytes.count
        }
        let (origin, fetchSite) = (origin.map(add), fetchSite.map(add))
        let verdict = trust.evaluate(
            bytes.span,
            origin: origin,
            fetchSite: fetchSite,
            authority: host,
            isSecure: isSecure
        )
        return verdict.isAllowed
    }
}

extension EndpointRefusal {
    static let crossSite = EndpointRefusal(
        .crossSiteRequest,
        status: 403,
        detail: "the request has a cookie and comes from an origin that is not trusted"
    )
}
