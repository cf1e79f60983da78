public import Verification

/// The result of a request for an endpoint.
public enum EndpointResult: Sendable, Equatable {
    case response(EndpointResponse)
    /// Refused; the caller writes the response, in the form of all the gateway's refusals.
    case refused(EndpointRefusal)
    /// Checked: the unchanged request goes on to the backend.
    case forward(ForwardedSignIn)
}

extension EndpointResult {
    /// With more fields. A backend's response is left unchanged.
    func adding(_ fields: [EndpointResponse.Field]) -> EndpointResult {
        switch self {
        case .response(var response):
            response.fields += fields
            return .response(response)
        case .refused(let refusal): return .refused(refusal.adding(fields))
        case .forward: return self
        }
    }
}

/// A response of the gateway's own.
public struct EndpointResponse: Sendable, Equatable {
    public struct Field: Sendable, Equatable {
        public var name: String
        public var value: String

        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    public var status: Int
    /// Without `Date` and `Content-Length`; no value has a control character.
    public var fields: [Field] = []
    public var body: [UInt8] = []
    /// The subject of the request, for the log; nil for none.
    public var subject: String?

    package init(status: Int, fields: [Field] = [], body: [UInt8] = [], subject: String? = nil) {
        self.status = status
        self.fields = fields
        self.body = body
        self.subject = subject
    }
}

extension EndpointResponse {
    /// - Parameter fields: Besides `Content-Type`, and `Cache-Control: no-store`, which every response with personal
    ///   data has.
    public static func json(
        _ object: JSONObject,
        status: Int = 200,
        fields: [Field] = [],
        subject: String? = nil
    ) -> EndpointResponse {
        EndpointResponse(
            status: status,
            fields: [Field("Content-Type", "application/json"), Field("Cache-Control", "no-store")] + fields,
            body: JSONWriter.bytes(of: object),
            subject: subject
        )
    }

    /// 303 See Other (RFC 9110 section 15.4.4), which is followed with GET whatever the method was.
    public static func redirect(to location: String, fields: [Field] = [], subject: String? = nil) -> EndpointResponse {
        EndpointResponse(
            status: 303,
            fields: [Field("Location", location), Field("Cache-Control", "no-store")] + fields,
            subject: subject
        )
    }
}

/// A provider's token is valid, and the backend gets the identity.
public struct ForwardedSignIn: Sendable, Equatable {
    /// The provider's identity; nil for a legacy body, which proves nothing.
    public var identity: ProviderIdentity?
    /// For an unverified body: whether it would have been refused.
    public var isObserved = false
}

/// Why an endpoint refuses, in the gateway's closed set of codes.
public struct EndpointRefusal: Error, Sendable, Equatable {
    /// The codes that endpoints use, as sent.
    public enum Code: String, Sendable, CaseIterable {
        case missingToken = "missing_token"
        case invalidToken = "invalid_token"
        case tokenExpired = "token_expired"
        case tokenRevoked = "token_revoked"
        case rateLimited = "rate_limited"
        case conflictingTokens = "conflicting_tokens"
        case crossSiteRequest = "cross_site_request"
        case backendUnavailable = "backend_unavailable"
        case backendTimeout = "backend_timeout"
        case overloaded
        case storeUnavailable = "store_unavailable"
        case badRequest = "bad_request"
        case notAllowed = "not_allowed"
    }

    public var code: Code
    public var status: Int
    /// For people; contains no client input.
    public var detail: String
    public var retryAfterSeconds: Int?
    /// Further fields of the response.
    public var fields: [EndpointResponse.Field]

    public init(
        _ code: Code,
        status: Int,
        detail: String,
        retryAfterSeconds: Int? = nil,
        fields: [EndpointResponse.Field] = []
    ) {
        self.code = code
        self.status = status
        self.detail = detail
        self.retryAfterSeconds = retryAfterSeconds
        self.fields = fields
    }
}

extension EndpointRefusal {
    public static func badRequest(_ detail: String) -> EndpointRefusal {
        EndpointRefusal(.badRequest, status: 400, detail: detail)
    }

    public static func invalidToken(_ detail: String) -> EndpointRefusal {
        EndpointRefusal(.invalidToken, status: 401, detail: detail)
    }

    /// - Parameter retryAfterSeconds: When to try again.
    public static func rateLimited(_ detail: String, retryAfterSeconds: Int) -> EndpointRefusal {
        EndpointRefusal(.rateLimited, status: 429, detail: detail, retryAfterSeconds: retryAfterSeconds)
    }

    /// Whoever signed in at the provider is not among those whom the tenant lets in (`who`).
    static let notAllowed = EndpointRefusal(
        .notAllowed,
        status: 403,
        detail: "this account may not sign in here: use another one"
    )

    /// The store is unavailable: nothing was acknowledged, and trying again may help.
    public static let storeUnavailable = EndpointRefusal(
        .storeUnavailable,
        status: 503,
        detail: "signing in is not possible at the moment: try again",
        retryAfterSeconds: 1
    )

    /// Apple, Google or the account hook is unavailable, or gave no usable response.
    public static func providerUnavailable(_ detail: String, isTimeout: Bool = false) -> EndpointRefusal {
        EndpointRefusal(
            isTimeout ? .backendTimeout : .backendUnavailable,
            status: 503,
            detail: detail,
            retryAfterSeconds: 2
        )
    }
}
