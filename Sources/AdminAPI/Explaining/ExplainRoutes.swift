import Hummingbird

/// `/api/explain` of the admin listener.
struct ExplainRoutes: Sendable {
    private let handler: ExplainHandler

    init(_ handler: ExplainHandler) {
        self.handler = handler
    }

    func add(to router: Router<AdminContext>) {
        router.post("/api/explain") { request, _ -> Response in
            _ = try request.adminQuery([])
            return Response(json: try await handler.explain(request.adminBody()))
        }
    }
}
