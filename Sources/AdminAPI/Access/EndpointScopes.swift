import Tenants

/// The scopes of which a caller needs one, for each endpoint. `all` is enough for every endpoint.
enum EndpointScopes {
    /// By method and path, as the router writes it.
    static let table: [String: [AdminScope.Kind]] = [
        "GET /metrics": [.read],
        "GET /openapi.json": [.read, .revoke, .tenants],
        "GET /api/tenants": [.read, .tenants],
        "GET /api/tenants/{name}": [.read, .tenants],
        "PUT /api/tenants/{name}": [.tenants],
        "DELETE /api/tenants/{name}": [.tenants],
        "GET /api/tenants/{name}/versions": [.read, .tenants],
        "GET /api/tenants/{name}/versions/{version}": [.read, .tenants],
        "POST /api/tenants/{name}/rollback": [.tenants],
        "GET /api/tenants/{name}/accounts/{subject}": [.read, .revoke],
        "DELETE /api/tenants/{name}/accounts/{subject}/passkeys": [.revoke],
        "DELETE /api/tenants/{name}/accounts/{subject}/passkeys/{id}": [.revoke],
        "GET /api/events": [.read],
        "GET /api/refusals": [.read],
        "GET /api/rules": [.read],
        "GET /api/certificates": [.read],
        "GET /api/revocations": [.read, .revoke],
        "POST /api/revocations": [.revoke],
        "DELETE /api/revocations": [.revoke],
        "GET /api/keys": [.read],
        "POST /api/keys": [.all],
        "GET /api/sessions": [.read, .revoke],
        "DELETE /api/sessions": [.revoke],
        "GET /api/deletions": [.read, .revoke],
        "GET /api/deletions/{id}": [.read, .revoke],
        // It changes nothing, and shows nothing of the token that it is asked about.
        "POST /api/explain": [.read],
        "POST /api/reload": [.all],
        "GET /api/reloads": [.read],
    ]

    /// - Parameters:
    ///   - method: HEAD needs what GET does.
    ///   - path: As the router writes it. One that is not in the table needs `all`.
    static func needed(_ method: String, _ path: String) -> [AdminScope.Kind] {
        table["\(method == "HEAD" ? "GET" : method) \(path)"] ?? [.all]
    }
}
