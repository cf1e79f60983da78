import Tenants

/// Whether a page of another site may be behind a request (CSRF): browsers send cookies along whoever asks.
///
/// Where a browser says from which origin a request comes, that has to be one of ours. Where it says nothing, it is no
/// browser, or one so old that `SameSite` of the cookies is all there is.
struct CrossSiteCheck: Sendable {
    private let trustedOrigins: [String]

    /// Trusts the tenant's `csrf.trusted_origins`, and where its sign-in in a browser ends.
    init(_ tenant: Tenant) {
        let after = (tenant.signIn?.web?.after).map { [$0] } ?? []
        trustedOrigins = (tenant.trustedOrigins + after).map(Self.canonicalOrigin)
    }

    func allows(_ request: EndpointRequest) -> Bool {
        allows(origin: request.fields.origin, fetchSite: request.fields.secFetchSite, at: request.origin)
    }

    /// - Parameters:
    ///   - origin: `Origin` (RFC 6454 section 7). `null` is what sandboxed frames of any site send.
    ///   - fetchSite: `Sec-Fetch-Site` (W3C Fetch Metadata section 2.3).
    ///   - ownOrigin: What the request was sent to.
    func allows(origin: String?, fetchSite: String?, at ownOrigin: String) -> Bool {
        if let origin {
            let origin = Self.canonicalOrigin(origin)
            return ([Self.canonicalOrigin(ownOrigin)] + trustedOrigins).contains { $0.utf8.elementsEqual(origin.utf8) }
        }
        guard let fetchSite else { return true }
        // A neighbour (`same-site`) that is trusted would have said its origin.
        return fetchSite == "same-origin" || fetchSite == "none"
    }

    /// The origin of an absolute URL as browsers write it: in lower case, without the port that the scheme has anyway.
    private static func canonicalOrigin(_ url: String) -> String {
        let bytes = url.utf8
        guard let scheme = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[scheme...].starts(with: "://".utf8) else {
            return url
        }
        let end = bytes[bytes.index(scheme, offsetBy: 3)...].firstIndex { "/?#".utf8.contains($0) }
        let origin = url[..<(end ?? bytes.endIndex)].lowercased()
        for (scheme, port) in [("https://", ":443"), ("http://", ":80")]
        where origin.hasPrefix(scheme) && origin.hasSuffix(port) {
            return String(origin.dropLast(port.count))
        }
        return origin
    }
}

extension EndpointRefusal {
    static let crossSite = EndpointRefusal(
        .crossSiteRequest,
        status: 403,
        detail: "the request has a cookie and comes from an origin that is not trusted"
    )
}
