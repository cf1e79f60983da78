import Hummingbird

/// `/api/sessions` of the admin listener.
struct SessionsRoutes: Sendable {
    private let desk: SessionsDesk

    init(_ desk: SessionsDesk) {
        self.desk = desk
    }

    func add(to router: Router<BasicRequestContext>) {
        router.get("/api/sessions") { request, _ -> Response in
            Response(json: try await desk.list(request.adminQuery(["tenant", "session", "subject"])))
        }
        router.delete("/api/sessions") { request, _ -> Response in
            Response(json: try await desk.end(request.adminBody()))
        }
    }
}
