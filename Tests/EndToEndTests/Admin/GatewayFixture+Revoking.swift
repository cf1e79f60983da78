import Tenants
import Verification

extension GatewayFixture {
    static let adminToken = "an-admin-token-of-the-tests"

    /// One request to `/api/revocations`.
    ///
    /// - Parameters:
    ///   - body: Sent as it is, with its length.
    ///   - fields: Whole field lines, without their CRLF.
    func revocations(
        _ method: String,
        query: String = "",
        body: String? = nil,
        fields: [String] = ["Content-Type: application/json"]
    ) async throws -> RawResponse {
        guard let adminAddress else { throw Malformed("no admin listener") }
        let length = body.map { ["Content-Length: \($0.utf8.count)"] } ?? []
        let head = head(
            "/api/revocations\(query)",
            method: method,
            host: "\(adminAddress)",
            fields: fields + length + ["Connection: close"]
        )
        return try await RawClient.answer(to: head + (body ?? ""), method: method, at: adminAddress)
    }

    /// The objects under `name` of an answer that must be a 200.
    func entries(_ name: String, _ response: RawResponse) throws -> [JSONObject] {
        guard response.status == 200, response.fields["Content-Type"] == ["application/json"],
            response.fields["Cache-Control"] == ["no-store"],
            let entries = try JSONParser.parse(response.body.bytes).object?[name]?.array
        else { throw Malformed("\(response.status) \(response.fields) \(response.body.text)") }
        return entries.compactMap(\.object)
    }
}

/// What the admin API says when it does not do what it was asked.
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
