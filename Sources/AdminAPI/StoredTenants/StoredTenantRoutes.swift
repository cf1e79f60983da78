import HTTPTypes
import Hummingbird
import Tenants

/// `/api/tenants/NAME` of the admin listener, and what is below it.
struct StoredTenantRoutes: Sendable {
    static let path: RouterPath = "/api/tenants/{name}"

    let handler: StoredTenantHandler
    let audit: AuditLog

    func add(to router: Router<AdminContext>) {
        addReading(to: router)
        router.put(Self.path) { request, context -> Response in
            try await audit.of(.putTenant, context) { entry in
                let (name, caller) = try subject(request, context, &entry)
                let condition = try TenantCondition.read(request.headers)
                let text = try await TenantBody.read(request)
                let written = try await handler.put(name, text, condition, caller, &entry)
                return Response(json: written.json, tag: written.version.tag, status: written.isNew ? .created : .ok)
            }
        }
        router.delete(Self.path) { request, context -> Response in
            try await audit.of(.deleteTenant, context) { entry in
                let (name, caller) = try subject(request, context, &entry)
                let condition = try TenantCondition.read(request.headers)
                return Response(json: try await handler.delete(name, condition, caller, &entry))
            }
        }
        router.post("/api/tenants/{name}/rollback") { request, context -> Response in
            try await audit.of(.rollBackTenant, context) { entry in
                let (name, caller) = try subject(request, context, &entry)
                let condition = try TenantCondition.read(request.headers)
                let written = try await handler.rollback(name, request.adminBody(), condition, caller, &entry)
                return Response(json: written.json, tag: written.version.tag)
            }
        }
    }

    private func addReading(to router: Router<AdminContext>) {
        router.get(Self.path) { request, context -> Response in
            _ = try request.adminQuery([])
            let document = try await handler.tenant(context.tenantName())
            return Response(document, asYAML: TenantBody.wantsYAML(request.headers))
        }
        router.get("/api/tenants/{name}/versions") { request, context -> Response in
            _ = try request.adminQuery([])
            return Response(json: try await handler.versions(context.tenantName()))
        }
        router.get("/api/tenants/{name}/versions/{version}") { request, context -> Response in
            _ = try request.adminQuery([])
            let number = context.parameters.get("version") ?? ""
            return Response(json: try await handler.version(context.tenantName(), number))
        }
    }

    private func subject(
        _ request: Request,
        _ context: AdminContext,
        _ entry: inout AuditEntry
    ) throws(AdminProblem) -> (name: String, caller: AdminCaller) {
        let name = try context.tenantName()
        entry.tenant = name
        _ = try request.adminQuery([])
        return (name, context.caller ?? .loopback)
    }
}

extension AdminContext {
    /// The tenant that the path names; nil if the path names none.
    var namedTenant: String? { parameters.get("name") }

    /// - Throws: If it is no name: then there is no such tenant.
    func tenantName() throws(AdminProblem) -> String {
        guard let name = namedTenant, TenantText.isName(name) else {
            throw .badRequest("a tenant's name has 1 to 63 letters, digits, \"-\" and \"_\"")
        }
        return name
    }
}
