public import Verification

/// One of `tests`: a request, who sends it, and what must come of it.
public struct TenantTest: Sendable {
    /// Of the refusals that a decision may come to.
    public static let codes = [
        "missing_token", "invalid_token", "token_expired", "token_revoked", "insufficient_scope", "insufficient_role",
        "unknown_host", "ambiguous_path", "rate_limited", "cross_site_request", "store_unavailable", "bad_request",
    ]

    public var method: String
    /// With its query, as a client would send it.
    public var target: String
    /// Of the caller's token; nil: nobody is signed in.
    public var claims: JSONObject?
    /// Further fields of the request.
    public var fields: [(name: String, value: String)] = []
    /// 200 where the request would go on to the backend.
    public var status: Int
    /// The refusal's code; nil: not looked at.
    public var code: String?
    /// Where it stands in tenants.yaml.
    public var line: Int = 0
    public var column: Int = 0
}

extension TenantTest: Equatable {
    public static func == (left: TenantTest, right: TenantTest) -> Bool {
        left.method == right.method && left.target == right.target && left.claims == right.claims
            && left.fields.elementsEqual(right.fields) { $0 == $1 }
            && left.status == right.status && left.code == right.code
            && left.line == right.line && left.column == right.column
    }
}
