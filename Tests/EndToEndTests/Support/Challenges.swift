import Testing

/// Expects a 401 or 403 whose challenge contains the tenant and, except for a missing token, the error (RFC 6750
/// section 3).
func expectChallenge(
    _ response: RawResponse,
    _ status: Int,
    _ code: String,
    error: String?,
    _ comment: String = "",
    sourceLocation: SourceLocation = #_sourceLocation
) {
    expectRefusal(response, status, code, comment, sourceLocation: sourceLocation)
    let challenge = response.fields["WWW-Authenticate"]
    guard let error else {
        #expect(challenge == ["Bearer realm=\"app\""], "\(comment)", sourceLocation: sourceLocation)
        return
    }
    let start = "Bearer realm=\"app\", error=\"\(error)\", error_description=\""
    let described = challenge.count == 1 && challenge[0].hasPrefix(start) && challenge[0].hasSuffix("\"")
    #expect(described, "\(challenge) \(comment)", sourceLocation: sourceLocation)
    #expect((challenge.first?.utf8.count ?? 0) > start.utf8.count + 1, "\(comment)", sourceLocation: sourceLocation)
}
