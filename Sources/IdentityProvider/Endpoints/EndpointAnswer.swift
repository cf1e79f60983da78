public import Verification

/// What becomes of a request for an endpoint.
public enum EndpointAnswer: Sendable, Equatable {
    case response(EndpointResponse)
    /// To be refused in the form that all of the gateway's refusals have.
    case refused(EndpointRefusal)
    /// Checked: the untouched request goes on to the backend.
    case forward(ForwardedSignIn)
}

extension EndpointAnswer {
    /// With more fields. What the backend answers is left as it is.
    func adding(_ fields: [EndpointResponse.Field]) -> EndpointAnswer {
        switch self {
        case .response(var response):
            response.fields += fields
            return .response(response)
        case .refused(let refusal): return .refused(refusal.adding(fields))
        case .forward: return self
        }
    }
}

/// An answer of the gateway's own.
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
    public var fields: [Field]
    public var body: [UInt8]
    /// Whose it turned out to be, for the log; nil: nobody's.
    public var subject: String?

    public init(status: Int, fields: [Field] = [], body: [UInt8] = [], subject: String? = nil) {
        self.status = status
        self.fields = fields
        self.body = body
        self.subject = subject
    }
}

extension EndpointResponse {
    /// - Parameter fields: Besides `Content-Type`, and `Cache-Control: no-store`, which every answer has that says
    ///   something of somebody.
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

/// A provider's token was found good, and the backend is told whose it is.
public struct ForwardedSignIn: Sendable, Equatable {
    /// The provider's name for whoever signs in; nil for a legacy body, which proves nothing.
    public var identity: ProviderIdentity?
    /// What an unverified body is counted as: whether it would have been refused.
    public var isObserved: Bool

    public init(identity: ProviderIdentity?, isObserved: Bool = false) {
        self.identity = identity
        self.isObserved = isObserved
    }
}

/// Why an endpoint does not answer, in the gateway's closed set of codes.
public struct EndpointRefusal: Error, Sendable, Equatable {
    /// The codes that endpoints use, named as on the wire.
    public enum Code: String, Sendable, CaseIterable {
        case missingToken = "missing_token"
        case invalidToken = "invalid_token"
        case tokenExpired = "token_expired"
        case tokenRevoked = "token_revoked"
        case rateLimited = "rate_limited"
        case crossSiteRequest = "cross_site_request"
        case backendUnavailable = "backend_unavailable"
        case backendTimeout = "backend_timeout"
        case overloaded
        case storeUnavailable = "store_unavailable"
        case badRequest = "bad_request"
    }

    public var code: Code
    public var status: Int
    /// For people; holds nothing that the client sent.
    public var detail: String
    public var retryAfterSeconds: Int?
    /// Further fields of the answer.
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

    /// - Parameter retryAfterSeconds: When it would be done.
    public static func rateLimited(_ detail: String, retryAfterSeconds: Int) -> EndpointRefusal {
        EndpointRefusal(.rateLimited, status: 429, detail: detail, retryAfterSeconds: retryAfterSeconds)
    }

    /// The store cannot be asked: nothing was acknowledged, and trying again may help.
    public static let storeUnavailable = EndpointRefusal(
        .storeUnavailable,
        status: 503,
        detail: "signing in is not possible at the moment: try again",
        retryAfterSeconds: 1
    )

    /// Apple, Google or the account hook cannot be asked, or gave no sensible answer.
    public static func providerUnavailable(_ detail: String, isTimeout: Bool = false) -> EndpointRefusal {
        EndpointRefusal(
            isTimeout ? .backendTimeout : .backendUnavailable,
            status: 503,
            detail: detail,
            retryAfterSeconds: 2
        )
    }
}
