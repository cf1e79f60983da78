import Store
import Verification

/// Why an endpoint of the issuer refuses a request (RFC 6749 section 5.2, RFC 6750 section 3.1).
package struct OAuthError: Error, Sendable, Equatable {
    enum Code: String, Sendable {
        case invalidRequest = "invalid_request"
        case invalidClient = "invalid_client"
        case invalidGrant = "invalid_grant"
        case invalidScope = "invalid_scope"
        case invalidToken = "invalid_token"
        case insufficientScope = "insufficient_scope"
        case unsupportedGrantType = "unsupported_grant_type"
        case temporarilyUnavailable = "temporarily_unavailable"
        /// RFC 9449 sections 5 and 7.1.
        case invalidDPoPProof = "invalid_dpop_proof"
        /// RFC 9449 sections 8 and 9.
        case useDPoPNonce = "use_dpop_nonce"
    }

    var code: Code
    var status: Int
    /// For developers: ASCII without quotes and backslashes, and without client input.
    var detail: String
    var fields: [EndpointResponse.Field]

    init(_ code: Code, status: Int, _ detail: String, fields: [EndpointResponse.Field] = []) {
        self.code = code
        self.status = status
        self.detail = detail
        self.fields = fields
    }

    var result: EndpointResult {
        .response(
            .json(
                ["error": .string(code.rawValue), "error_description": .string(detail)],
                status: status,
                fields: [EndpointResponse.Field("Pragma", "no-cache")] + fields
            )
        )
    }
}

extension OAuthError {
    static func invalidRequest(_ detail: String) -> OAuthError { OAuthError(.invalidRequest, status: 400, detail) }

    static func invalidGrant(_ detail: String) -> OAuthError { OAuthError(.invalidGrant, status: 400, detail) }

    /// - Parameter realm: The tenant's name.
    static func invalidClient(_ detail: String, realm: String) -> OAuthError {
        OAuthError(.invalidClient, status: 401, detail, fields: [challenge("Basic", realm: realm)])
    }

    /// An access token that is missing, or not valid for the request (RFC 6750 section 3).
    static func invalidToken(_ detail: String, realm: String) -> OAuthError {
        let field = challenge(
            "Bearer",
            realm: realm,
            [("error", Code.invalidToken.rawValue), ("error_description", detail)]
        )
        return OAuthError(.invalidToken, status: 401, detail, fields: [field])
    }

    /// Access tokens in more than one place (RFC 6750 section 2).
    static func twoTokens(realm: String) -> OAuthError {
        let field = challenge("Bearer", realm: realm, [("error", Code.invalidRequest.rawValue)])
        return OAuthError(.invalidRequest, status: 400, "the access token is sent in two ways", fields: [field])
    }

    /// - Parameter scope: The missing one.
    static func insufficientScope(_ scope: String, realm: String) -> OAuthError {
        let code = Code.insufficientScope
        let field = challenge("Bearer", realm: realm, [("error", code.rawValue), ("scope", scope)])
        return OAuthError(
            code,
            status: 403,
            "the access token lacks the required scope",
            fields: [field]
        )
    }

    /// Too many requests: the client has to wait.
    static func tooMany(_ detail: String, retryAfter seconds: Int) -> OAuthError {
        retryLater(429, detail, after: seconds)
    }

    private static func retryLater(_ status: Int, _ detail: String, after seconds: Int) -> OAuthError {
        let retryAfter = EndpointResponse.Field("Retry-After", "\(seconds)")
        return OAuthError(.temporarilyUnavailable, status: status, detail, fields: [retryAfter])
    }

    /// The store is unavailable: nothing was acknowledged.
    static let storeUnavailable = retryLater(503, "this is not possible at the moment: try again", after: 1)

    static let keysUnavailable = retryLater(503, "the keys of the issuer cannot be used at the moment", after: 5)

    /// The keys that a client signs its assertions with are not known, and cannot be fetched now.
    static let clientKeysUnavailable = retryLater(503, "the keys of this client cannot be fetched now", after: 5)

    /// The accounts, or the account hook, are unavailable.
    static let accountsUnavailable = retryLater(503, "the account cannot be looked up at the moment", after: 2)

    /// `WWW-Authenticate` (RFC 9110 section 11.6.1). Values are the gateway's own texts and tenant names, which need no
    /// escaping.
    static func challenge(
        _ scheme: String,
        realm: String,
        _ parameters: [(name: String, value: String)] = []
    ) -> EndpointResponse.Field {
        let all = [("realm", realm)] + parameters
        return EndpointResponse.Field(
            "WWW-Authenticate",
            scheme + " " + all.map { "\($0.0)=\"\($0.1)\"" }.joined(separator: ", ")
        )
    }
}
