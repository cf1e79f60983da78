import Hummingbird

/// `/api/keys` of the admin listener.
struct KeysRoutes: Sendable {
    let handler: KeysHandler
    let audit: AuditLog

    func add(to router: Router<AdminContext>) {
        router.get("/api/keys") { request, _ -> Response in
            Response(json: try await handler.list(tenant: request.adminQuery(["tenant"])["tenant"]))
        }
        router.post("/api/keys") { request, context -> Response in
            try await audit.of(.rotateKeys, context) { entry in
                _ = try request.adminQuery([])
                return Response(json: try await handler.rotate(request.adminBody(), &entry))
            }
        }
    }
}
