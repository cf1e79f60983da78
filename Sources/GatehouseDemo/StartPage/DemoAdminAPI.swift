import Tenants
import Verification

/// The admin API, as trials use it.
struct DemoAdminAPI: Sendable {
    let address: HostPort
    let token: String

    /// The decision on a request, as `gatehouse explain` shows it.
    func explain(_ request: TrialRequest, of tenant: String) async throws -> JSONObject {
        let fields = request.fields.map { JSONValue.string("\($0.name): \($0.value)") }
        let question: JSONObject = [
            "tenant": .string(tenant), "method": .string(request.method), "path": .string(request.path),
            "host": .string(request.host), "headers": .array(fields),
        ]
        return try await TrialClient.send(post("/api/explain", question), to: address).json
    }

    func revocation(of token: String, tenant: String) -> TrialRequest {
        post(
            "/api/revocations",
            ["tenant": .string(tenant), "token": .string(token), "reason": "a button of the start page"]
        )
    }

    private func post(_ path: String, _ body: JSONObject) -> TrialRequest {
        TrialRequest(
            method: "POST",
            host: address.description,
            path: path,
            fields: [("Authorization", "Bearer \(token)"), ("Content-Type", "application/json")],
            body: body
        )
    }
}
