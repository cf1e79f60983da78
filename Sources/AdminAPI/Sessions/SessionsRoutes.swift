import Hummingbird

/// `/api/sessions` of the admin listener.
struct SessionsRoutes: Sendable {
    let handler: SessionsHandler
    let audit: AuditLog

    func add(to router: Router<AdminContext>) {
        router.get("/api/sessions") { request, _ -> Response in
            Response(json: try await handler.list(request.adminQuery(["tenant", "session", "subject"])))
        }
        router.delete("/api/sessions") { request, context -> Response in
            try await audit.of(.endSessions, context) { entry in
                _ = try request.adminQuery([])
                return Response(json: try await handler.end(request.adminBody(), &entry))
            }
        }
    }
}
