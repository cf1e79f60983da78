import Hummingbird

/// `/api/refusals` of the admin listener.
struct RefusalsRoutes: Sendable {
    let handler: RefusalsHandler

    func add(to router: Router<AdminContext>) {
        router.get("/api/refusals") { request, _ -> Response in
            Response(json: try await handler.list(tenant: request.adminQuery(["tenant"])["tenant"]))
        }
    }
}
