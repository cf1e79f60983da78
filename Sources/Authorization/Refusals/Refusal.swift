package import Counting
package import HTTPCore

/// The refusal of a request by the gateway itself. All reasons are defined here; ``GatewayResponse`` turns them into
/// HTTP.
package struct Refusal: Equatable {
    package var code: RefusalCode
    package var status: Int
    /// For people; contains nothing that the client sent.
    package var detail: String
    /// Scopes that are required, for `WWW-Authenticate`.
    package var neededScopes: [String] = []
    package var retryAfterSeconds: Int?
    /// Further fields of the response.
    package var fields: [HeaderField] = []
    /// The error of the proof sent with a token; nil for other refusals.
    package var proofError: ProofError?
    /// Set if the app is too old.
    package var upgrade: AppUpgrade?
    /// For `Allow` of a 405 (RFC 9110 section 15.5.6); empty: the methods that the gateway forwards.
    package var allowedMethods: [String] = []

    package init(
        _ code: RefusalCode,
        status: Int,
        detail: String,
        neededScopes: [String] = [],
        retryAfterSeconds: Int? = nil
    ) {
        self.code = code
        self.status = status
        self.detail = detail
        self.neededScopes = neededScopes
        self.retryAfterSeconds = retryAfterSeconds
    }

    /// Whether a browser is led to sign in instead (`Location`).
    package var leadsToSignIn: Bool { status == 302 || status == 303 }

    package init(_ violation: HTTPViolation) {
        let code: RefusalCode = violation.status == 413 ? .payloadTooLarge : .badRequest
        self.init(code, status: violation.status, detail: violation.reason.description)
    }

    package static let unknownHost = Refusal(
        .unknownHost,
        status: 404,
        detail: "no tenant answers for this host and path"
    )
    package static let missingToken = Refusal(
        .missingToken,
        status: 401,
        detail: "this path needs a token and none was sent"
    )
    package static let tokenExpired = Refusal(.tokenExpired, status: 401, detail: "the token has expired")
    package static let tokenRevoked = Refusal(
        .tokenRevoked,
        status: 401,
        detail: "the token or its session was revoked"
    )
    static let revocationsUnknown = Refusal(
        .storeUnavailable,
        status: 503,
        detail: "whether the token was revoked is unknown at the moment",
        retryAfterSeconds: 1
    )
    package static let signOutNotStored = Refusal(
        .storeUnavailable,
        status: 503,
        detail: "the sign-out could not be stored: try again",
        retryAfterSeconds: 1
    )
    package static func keysMissing(retryAfterSeconds: Int) -> Refusal {
        Refusal(
            .storeUnavailable,
            status: 503,
            detail: "the keys of the token's issuer could not be fetched yet",
            retryAfterSeconds: retryAfterSeconds
        )
    }
    package static let severalTokens = Refusal(
        .badRequest,
        status: 400,
        detail: "there are several tokens in one place"
    )
    package static let backendUnavailable = Refusal(
        .backendUnavailable,
        status: 503,
        detail: "no server of the app is reachable",
        retryAfterSeconds: 1
    )
    package static let backendBroke = Refusal(
        .backendUnavailable,
        status: 502,
        detail: "the app's server broke off or gave a malformed answer"
    )
    package static let backendTimeout = Refusal(.backendTimeout, status: 504, detail: "the app did not answer in time")
    package static let overloaded = Refusal(
        .overloaded,
        status: 503,
        detail: "too many requests are waiting for the app",
        retryAfterSeconds: 1
    )
    /// One of the gateway's internal checks failed.
    package static let internalError = Refusal(
        .overloaded,
        status: 500,
        detail: "the gateway could not handle the request"
    )
    package static let tooManyConnections = Refusal(
        .overloaded,
        status: 503,
        detail: "too many connections are open",
        retryAfterSeconds: 1
    )
    package static let payloadTooLarge = Refusal(
        .payloadTooLarge,
        status: 413,
        detail: "the body is larger than this app allows"
    )
    package static let headTimeout = Refusal(
        .badRequest,
        status: 408,
        detail: "the request head did not arrive in time"
    )
    package static let bodyTimeout = Refusal(
        .badRequest,
        status: 408,
        detail: "the request body did not arrive in time"
    )
    static let severalTenants = Refusal(
        .ambiguousPath,
        status: 400,
        detail: "the path is another tenant's where repeated slashes are merged or parameters after \";\" dropped"
    )
    static let severalRoutes = Refusal(
        .ambiguousPath,
        status: 400,
        detail: "the path has another route where repeated slashes are merged or parameters after \";\" dropped"
    )
    static let noRoute = Refusal(.noRoute, status: 404, detail: "this app has no route for this path")
    package static let ambiguousPath = Refusal(
        .ambiguousPath,
        status: 400,
        detail: "the path can be read in several ways"
    )
    package static let malformedQuery = Refusal(
        .badRequest,
        status: 400,
        detail: "the request asked about is malformed"
    )
    package static let crossSite = Refusal(
        .crossSiteRequest,
        status: 403,
        detail: "the request has a cookie and comes from an origin that is not trusted"
    )
    static let misdirected = Refusal(
        .unknownHost,
        status: 421,
        detail: "this TLS connection was opened for another app: connect anew for this host"
    )
    /// For a connection whose handshake named no host of a tenant.
    ///
    /// - Parameters:
    ///   - names: Hosts whose certificate the connection has shown, and so nothing that its client does not know.
    ///   - byAddress: Whether an IP address was named (which RFC 6066 section 3 does not allow), and not nothing.
    static func misdirected(to names: [String], byAddress: Bool) -> Refusal {
        let named = byAddress ? "an address instead of a host" : "no host"
        let shown = names.isEmpty ? "another app" : names.joined(separator: ", ")
        return Refusal(
            .unknownHost,
            status: 421,
            detail: "this TLS connection named \(named) (SNI), and has the certificate for \(shown): "
                + "connect anew, by this host's name"
        )
    }
    package static let ours = Refusal(.unknownHost, status: 404, detail: "nothing is served at this path")
}
