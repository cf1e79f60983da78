import Hummingbird

/// `/api/tenants` of the admin listener.
struct TenantsRoutes: Sendable {
    private let reporter: GatewayReporter

    init(_ reporter: GatewayReporter) {
        self.reporter = reporter
    }

    func add(to router: Router<AdminContext>) {
        router.get("/api/tenants") { request, context -> Response in
            let page = try TenantsPage(try request.adminQuery(TenantsPage.parameters), context.caller ?? .loopback)
            return Response(json: try await reporter.report(page))
        }
    }
}
