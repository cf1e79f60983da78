import Hummingbird

/// `/api/keys` of the admin listener.
struct KeysRoutes: Sendable {
    private let desk: KeysDesk

    init(_ desk: KeysDesk) {
        self.desk = desk
    }

    func add(to router: Router<BasicRequestContext>) {
        router.get("/api/keys") { request, _ -> Response in
            Response(json: try await desk.list(tenant: request.adminQuery(["tenant"])["tenant"]))
        }
        router.post("/api/keys") { request, _ -> Response in
            Response(json: try await desk.rotate(request.adminBody()))
        }
    }
}
