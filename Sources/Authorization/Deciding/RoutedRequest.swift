package import HTTPCore

/// A request whose tenant is known. Only ``RequestRouter`` makes one.
package struct RoutedRequest {
    package let request: CanonicalRequest
    package let tenant: TenantRuntime

    /// Only for ``RequestRouter``.
    init(_ request: CanonicalRequest, of tenant: TenantRuntime) {
        self.request = request
        self.tenant = tenant
    }

    package var received: ReceivedRequest { request.received }
    package var target: RequestTarget { request.target }
    package var path: CanonicalRequest.Path { request.path }
    package var head: RequestHead { request.head }
}
