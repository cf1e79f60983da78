import Hummingbird

/// `/api/tenants/NAME/accounts/SUBJECT` of the admin listener, and what is below it.
struct AccountsRoutes: Sendable {
    private static let account: RouterPath = "/api/tenants/{name}/accounts/{subject}"
    private static let passkeys: RouterPath = "/api/tenants/{name}/accounts/{subject}/passkeys"
    private static let passkey: RouterPath = "/api/tenants/{name}/accounts/{subject}/passkeys/{id}"

    let handler: AccountsHandler
    let audit: AuditLog

    func add(to router: Router<AdminContext>) {
        router.get(Self.account) { request, context -> Response in
            _ = try request.adminQuery([])
            return Response(json: try await handler.account(context.tenantName(), Self.subject(context)))
        }
        router.delete(Self.passkeys) { request, context -> Response in
            try await remove(nil, request, context)
        }
        router.delete(Self.passkey) { request, context -> Response in
            try await remove(context.parameters.get("id") ?? "", request, context)
        }
    }

    private func remove(_ passkey: String?, _ request: Request, _ context: AdminContext) async throws -> Response {
        try await audit.of(.removePasskeys, context) { entry in
            let tenant = try context.tenantName()
            entry.tenant = tenant
            _ = try request.adminQuery([])
            return Response(
                json: try await handler.removePasskeys(tenant, Self.subject(context), passkey, &entry)
            )
        }
    }

    private static func subject(_ context: AdminContext) -> String { context.parameters.get("subject") ?? "" }
}
