import Hummingbird

/// `/api/rules` of the admin listener.
struct RulesRoutes: Sendable {
    let handler: RulesHandler

    func add(to router: Router<AdminContext>) {
        router.get("/api/rules") { request, _ -> Response in
            Response(json: try await handler.list(tenant: request.adminQuery(["tenant"])["tenant"]))
        }
    }
}
