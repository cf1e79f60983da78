import Verification

extension GatewayFixture {
    /// One request to `/api/explain`.
    func explain(_ body: String, fields: [String] = []) async throws -> RawResponse {
        try await adminRequest("POST", "/api/explain", body: body, fields: fields)
    }

    /// The step texts, the decision and the whole document of a successful response.
    func explained(_ body: JSONObject) async throws -> (steps: [String], decision: String, json: JSONObject) {
        let response = try await explain(JSONWriter.text(of: .object(body)))
        guard response.status == 200, response.fields["Cache-Control"] == ["no-store"],
            let json = try JSONParser.parse(response.body.bytes).object,
            let steps = json["steps"]?.array, let decision = json["decision"]?.string
        else { throw Malformed("\(response.status) \(response.body.text)") }
        return (steps.compactMap { $0.object?["text"]?.string }, decision, json)
    }
}
