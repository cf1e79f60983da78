package import HTTPCore
package import IdentityProvider
package import Tenants

/// A request whose tenant and route are known. Only ``RequestRouter`` makes one.
package struct RoutedRequest {
    package let request: CanonicalRequest
    package let tenant: TenantRuntime
    /// Nil if no route matches.
    package let route: RouteRuntime?
    /// That of the path, if it is one of the tenant's below `/.gatehouse`.
    package let ownEndpoint: Endpoint?

    /// Only for ``RequestRouter``.
    init(
        _ request: CanonicalRequest,
        of tenant: TenantRuntime,
        by route: RouteRuntime? = nil,
        to ownEndpoint: Endpoint? = nil
    ) {
        self.ownEndpoint = ownEndpoint
        self.request = request
        self.tenant = tenant
        self.route = route
    }

    package var limits: RequestLimits { route?.route.limits ?? tenant.tenant.limits }

    package var received: ReceivedRequest { request.received }
    package var target: RequestTarget { request.target }
    package var path: CanonicalRequest.Path { request.path }
    package var head: RequestHead { request.head }
}
