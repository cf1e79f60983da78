import Tenants

/// The audiences of clients' assertions: this issuer as a whole, or its token endpoint, at whichever endpoint they are
/// used (RFC 7523 section 3).
///
/// Only what is configured counts. Whoever gets an assertion that was made for another server, and may choose the
/// `Host` field, could otherwise make this issuer that server.
struct AssertionAudiences: Sendable {
    /// Of the token endpoint.
    private let path: String
    private let configured: [String]
    /// Hosts at which discovery may publish the token endpoint, in lower case.
    private let hosts: Set<String>

    /// - Parameter hosts: Of the tenant. A pattern covers hosts that nobody has named, and makes none an audience.
    init(_ issuer: BuiltInIssuer, hosts: [HostPattern]) {
        path = issuer.basePath + IssuerPath.token.rawValue
        configured = [issuer.url, WebOrigin.canonical(issuer.url) + path]
        self.hosts = Set(hosts.compactMap { if case .exact(let host) = $0 { host } else { nil } })
    }

    /// - Parameter request: Adds the address of the token endpoint that discovery publishes at its origin, at whichever
    ///   port something before the gateway takes requests.
    func all(for request: EndpointRequest) -> [String] {
        let origin = WebOrigin.canonical(request.origin)
        guard let scheme = origin.firstRange(of: "://"), hosts.contains(Self.host(of: origin[scheme.upperBound...]))
        else { return configured }
        return configured + [request.origin + path]
    }

    private static func host(of authority: Substring) -> String {
        let end =
            authority.hasPrefix("[")
            ? authority.firstIndex(of: "]").map { authority.index(after: $0) } : authority.firstIndex(of: ":")
        return String(authority[..<(end ?? authority.endIndex)])
    }
}
