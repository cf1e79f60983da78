import Hummingbird

/// `/api/explain` of the admin listener.
struct ExplainRoutes: Sendable {
    private let desk: ExplainDesk

    init(_ desk: ExplainDesk) {
        self.desk = desk
    }

    func add(to router: Router<AdminContext>) {
        router.post("/api/explain") { request, _ -> Response in
            _ = try request.adminQuery([])
            return Response(json: try await desk.explain(request.adminBody()))
        }
    }
}
