import Hummingbird

/// `/api/deletions` of the admin listener.
struct DeletionsRoutes: Sendable {
    let handler: DeletionsHandler

    func add(to router: Router<AdminContext>) {
        router.get("/api/deletions") { request, _ -> Response in
            Response(json: try await handler.list(request.adminQuery(DeletionsHandler.parameters)))
        }
        router.get("/api/deletions/{id}") { request, context -> Response in
            _ = try request.adminQuery([])
            return Response(json: try await handler.show(context.parameters.get("id") ?? ""))
        }
    }
}
