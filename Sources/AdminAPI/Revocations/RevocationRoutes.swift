import Hummingbird

/// `/api/revocations` of the admin listener.
struct RevocationRoutes: Sendable {
    let handler: RevocationHandler
    let audit: AuditLog

    func add(to router: Router<AdminContext>) {
        router.get("/api/revocations") { request, _ -> Response in
            let parameters = try request.adminQuery(RevocationQuery.parameters)
            return Response(json: try await handler.list(RevocationQuery(parameters)))
        }
        router.post("/api/revocations") { request, context -> Response in
            try await audit.of(.revoke, context) { entry in
                _ = try request.adminQuery([])
                return Response(json: try await handler.revoke(request.adminBody(), &entry))
            }
        }
        router.delete("/api/revocations") { request, context -> Response in
            try await audit.of(.withdraw, context) { entry in
                _ = try request.adminQuery([])
                return Response(json: try await handler.withdraw(request.adminBody(), &entry))
            }
        }
    }
}
