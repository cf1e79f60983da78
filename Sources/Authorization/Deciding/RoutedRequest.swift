package import HTTPCore

/// A request that a tenant answers for. Only ``RequestRouter`` makes one.
package struct RoutedRequest {
    package let request: CanonicalRequest
    package let tenant: TenantRuntime

    /// For ``RequestRouter`` alone.
    init(_ request: CanonicalRequest, of tenant: TenantRuntime) {
        self.request = request
        self.tenant = tenant
    }

    package var received: ReceivedRequest { request.received }
    package var target: RequestTarget { request.target }
    package var path: CanonicalRequest.Path { request.path }
    package var head: RequestHead { request.head }
}
