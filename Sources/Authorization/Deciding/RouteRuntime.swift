package import Tenants

/// A route of a tenant on one event loop.
package final class RouteRuntime {
    /// In ``TenantSettings/routes``.
    package let index: Int
    package let route: Route
    /// Makes two routes split the same callers differently, but at every instance alike.
    private let salt: UInt64
    /// The path that the backend sees; nil: the client's, without a prefix that is stripped.
    package let rewrite: PathTemplate?
    /// Whether the client's path decides how the backend's begins.
    let rewritesToAnything: Bool
    /// The one backend of a route without a split; nil for all others.
    fileprivate let onlyBackend: BackendIndex?

    init(index: Int, _ route: Route, of tenant: Tenant) {
        self.index = index
        self.route = route
        rewrite = route.forwarding?.rewrite
        rewritesToAnything = rewrite?.mayBeginAnyhow == true
        let shares = route.forwarding?.shares ?? []
        onlyBackend = shares.count == 1 ? shares[0].backend : nil
        salt = StableHash.of("\(tenant.name) \(route.methods.names.joined(separator: ",")) \(route.path)".utf8)
    }

    /// The routes of a tenant by their index.
    static func all(of tenant: Tenant) -> [RouteRuntime] {
        tenant.routes.routes.enumerated().map { RouteRuntime(index: $0, $1, of: tenant) }
    }

    /// Where a key's requests are in a split.
    func point(of key: UInt64) -> UInt64 { StableHash.mixed(key ^ salt) }
}

extension Grant {
    /// The backend that the request goes to.
    ///
    /// - Parameters:
    ///   - client: The client's address, for a split of requests without a caller.
    ///   - random: For a split whose requests do not stay together.
    /// - Returns: Nil if the gateway answers itself.
    package func backend(client: () -> [UInt8], random: () -> UInt64) -> BackendIndex? {
        guard let route = request.route else { return request.tenant.defaultBackend }
        if let only = route.onlyBackend { return only }
        guard case .forward(let forwarding) = route.route.action else { return nil }
        let key: UInt64
        switch forwarding.sticky {
        case .none: return forwarding.backend(at: random())
        case .subject: key = caller?.subjectHash ?? StableHash.of(client())
        case .session:
            key =
                caller.map { StableHash.of(($0.principal.sessionID ?? "").utf8) ^ $0.subjectHash }
                ?? StableHash.of(client())
        }
        return forwarding.backend(at: route.point(of: key))
    }
}
