import Testing
import Verification

extension GatewaySetup {
    /// The admin listener requires ``GatewayFixture/adminToken``.
    static let withAdminToken = GatewaySetup(
        gateway: "admin: { address: \"127.0.0.1:0\", token: \"\(GatewayFixture.adminToken)\" }"
    )
}

extension GatewayFixture {
    static let adminToken = "an-admin-token-of-the-tests"
    static let adminBearer = ["Authorization: Bearer \(adminToken)"]

    /// One request to the admin listener.
    ///
    /// - Parameters:
    ///   - type: The Content-Type of a body; nil: none.
    ///   - fields: Whole field lines, without their CRLF.
    func adminRequest(
        _ method: String,
        _ path: String,
        body: String? = nil,
        type: String? = "application/json",
        fields: [String] = []
    ) async throws -> RawResponse {
        guard let adminAddress else { throw Malformed("no admin listener") }
        var fields = fields + ["Connection: close"]
        if let body { fields += ["Content-Length: \(body.utf8.count)"] + (type.map { ["Content-Type: \($0)"] } ?? []) }
        let head = head(path, method: method, host: "\(adminAddress)", fields: fields)
        return try await RawClient.exchange(head + (body ?? ""), method: method, at: adminAddress)
    }

    /// One request to `/api/revocations`.
    func revocations(
        _ method: String,
        query: String = "",
        body: String? = nil,
        type: String? = "application/json",
        fields: [String] = []
    ) async throws -> RawResponse {
        try await adminRequest(method, "/api/revocations\(query)", body: body, type: type, fields: fields)
    }

    /// Audit lines with this message.
    func audit(_ message: String) -> [String] {
        log.text.split(separator: "\n").map(String.init).filter { $0.hasPrefix("notice \(message) ") }
    }

    /// The objects under `name` in a response that must be 200.
    func entries(_ name: String, _ response: RawResponse) throws -> [JSONObject] {
        guard response.status == 200, response.fields["Content-Type"] == ["application/json"],
            response.fields["Cache-Control"] == ["no-store"],
            let entries = try JSONParser.parse(response.body.bytes).object?[name]?.array
        else { throw Malformed("\(response.status) \(response.fields) \(response.body.text)") }
        return entries.compactMap(\.object)
    }
}

/// A problem document of the admin API.
struct AdminProblemDocument: Equatable {
    var status: Int
    var code: String
    var detail: String

    init?(_ response: RawResponse) {
        guard response.fields["Content-Type"] == ["application/problem+json"],
            response.fields["Cache-Control"] == ["no-store"],
            let object = try? JSONParser.parse(response.body.bytes).object,
            object["type"]?.string == "about:blank", object["title"]?.string?.isEmpty == false,
            object["status"]?.double == Double(response.status),
            let code = object["code"]?.string, let detail = object["detail"]?.string
        else { return nil }
        status = response.status
        self.code = code
        self.detail = detail
    }
}
