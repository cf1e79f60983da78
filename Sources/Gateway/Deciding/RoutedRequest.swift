import HTTPCore

/// A request that a tenant answers for. Only ``RequestRouter`` makes one.
struct RoutedRequest {
    let request: CanonicalRequest
    let tenant: TenantRuntime

    /// For ``RequestRouter`` alone.
    init(_ request: CanonicalRequest, of tenant: TenantRuntime) {
        self.request = request
        self.tenant = tenant
    }

    var received: ReceivedRequest { request.received }
    var target: RequestTarget { request.target }
    var path: CanonicalRequest.Path { request.path }
    var head: RequestHead { request.head }
}
