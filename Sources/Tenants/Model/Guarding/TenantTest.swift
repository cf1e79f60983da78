public import ConfigurationText
public import Verification

/// One of `tests`: a request, its caller's claims, and the expected decision.
public struct TenantTest: Sendable {
    /// The codes of refusals that a decision can result in.
    public static let codes = [
        "missing_token", "invalid_token", "token_expired", "token_revoked", "insufficient_scope", "insufficient_role",
        "unknown_host", "no_route", "ambiguous_path", "rate_limited", "cross_site_request", "store_unavailable",
        "bad_request", "conflicting_tokens", "upgrade_required",
    ]

    public var method: String
    /// The target with its query, as a client would send it.
    public var target: String
    /// Of the caller's token; nil: no user is signed in.
    public var claims: JSONObject?
    /// Further fields of the request.
    public var fields: [(name: String, value: String)] = []
    /// 200 where the request would go on to the backend; the status of the refusal, or of the route's own answer; 302 or
    /// 303 where a browser is led to sign in.
    public var status: Int
    /// The refusal's code; nil: not checked.
    public var code: String?
    /// The backend that the request would go to; nil: not checked.
    public var backend: String?
    /// Its position in tenants.yaml.
    public var line: SourceLine = 0
    public var column: Int = 0
}

extension TenantTest: Equatable {
    public static func == (left: TenantTest, right: TenantTest) -> Bool {
        left.method == right.method && left.target == right.target && left.claims == right.claims
            && left.fields.elementsEqual(right.fields) { $0 == $1 }
            && left.status == right.status && left.code == right.code && left.backend == right.backend
            && left.line == right.line && left.column == right.column
    }
}
