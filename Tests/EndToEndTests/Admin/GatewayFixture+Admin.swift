import Verification

extension GatewayFixture {
    /// One request to the admin listener, with whatever method and body.
    ///
    /// - Parameter fields: Whole field lines, without their CRLF.
    func askAdmin(
        _ method: String,
        _ path: String,
        body: String? = nil,
        fields: [String] = []
    ) async throws -> RawResponse {
        guard let adminAddress else { throw Malformed("no admin listener") }
        let length = body.map { ["Content-Length: \($0.utf8.count)", "Content-Type: application/json"] } ?? []
        let head = head(path, method: method, host: "\(adminAddress)", fields: fields + length + ["Connection: close"])
        return try await RawClient.answer(to: head + (body ?? ""), method: method, at: adminAddress)
    }

    /// What was written to the audit, by the message.
    func audit(_ message: String) -> [String] {
        log.text.split(separator: "\n").map(String.init).filter { $0.hasPrefix("notice \(message) ") }
    }
}
