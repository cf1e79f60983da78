import Testing
import Verification

/// A problem document (RFC 9457) of a refusal; nil if a member is missing or of another type.
struct Problem: Sendable {
    var type: String
    var title: String
    var status: Int
    var detail: String
    var code: String
    var requestID: String

    init?(_ response: RawResponse) {
        guard let object = try? JSONParser.parse(response.body.bytes).object,
            let type = object["type"]?.string, let title = object["title"]?.string,
            let status = object["status"]?.double, let detail = object["detail"]?.string,
            let code = object["code"]?.string, let requestID = object["request_id"]?.string
        else { return nil }
        self.type = type
        self.title = title
        self.status = Int(status)
        self.detail = detail
        self.code = code
        self.requestID = requestID
    }
}

/// All refusal codes.
let refusalCodes: Set<String> = [
    "missing_token", "invalid_token", "token_expired", "token_revoked", "insufficient_scope", "insufficient_role",
    "unknown_host", "ambiguous_path", "rate_limited", "cross_site_request", "payload_too_large", "backend_unavailable",
    "backend_timeout", "overloaded", "store_unavailable", "bad_request", "not_allowed", "conflicting_tokens",
    "upgrade_required",
]

/// Expects a refusal of the gateway: status, code, problem document and fields.
func expectRefusal(
    _ response: RawResponse,
    _ status: Int,
    _ code: String,
    _ comment: String = "",
    sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(response.status == status, "\(comment)", sourceLocation: sourceLocation)
    #expect(
        response.fields["Content-Type"] == ["application/problem+json"],
        "\(comment)",
        sourceLocation: sourceLocation
    )
    #expect(response.fields["Cache-Control"] == ["no-store"], "\(comment)", sourceLocation: sourceLocation)
    guard let problem = Problem(response) else {
        Issue.record("no problem document: \(response.body.text) \(comment)", sourceLocation: sourceLocation)
        return
    }
    #expect(problem.status == status, "\(comment)", sourceLocation: sourceLocation)
    #expect(problem.code == code, "\(comment)", sourceLocation: sourceLocation)
    #expect(!problem.type.isEmpty && !problem.title.isEmpty, "\(comment)", sourceLocation: sourceLocation)
    #expect(!problem.detail.isEmpty && !problem.requestID.isEmpty, "\(comment)", sourceLocation: sourceLocation)
}
