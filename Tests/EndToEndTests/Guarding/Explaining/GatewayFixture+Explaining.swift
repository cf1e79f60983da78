import Verification

extension GatewayFixture {
    /// One request to `/api/explain`.
    func explain(_ body: String, fields: [String] = []) async throws -> RawResponse {
        guard let adminAddress else { throw Malformed("no admin listener") }
        let client = keep(RawClient(try await Wire.connect(to: adminAddress)))
        let lines =
            fields + ["Content-Type: application/json", "Content-Length: \(body.utf8.count)", "Connection: close"]
        try await client.send(head("/api/explain", method: "POST", host: "\(adminAddress)", fields: lines) + body)
        let response = try await client.response(to: "POST")
        await client.close()
        return response
    }

    /// What a good answer says: its steps' texts, and the decision.
    func explained(_ body: JSONObject) async throws -> (steps: [String], decision: String, answer: JSONObject) {
        let response = try await explain(JSONWriter.text(of: .object(body)))
        guard response.status == 200, response.fields["Cache-Control"] == ["no-store"],
            let answer = try JSONParser.parse(response.body.bytes).object,
            let steps = answer["steps"]?.array, let decision = answer["decision"]?.string
        else { throw Malformed("\(response.status) \(response.body.text)") }
        return (steps.compactMap { $0.object?["text"]?.string }, decision, answer)
    }
}
