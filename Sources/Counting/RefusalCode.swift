/// Why a request was refused: a closed set, the same in the response's body, in metrics and in the log.
public enum RefusalCode: String, CaseIterable, Sendable {
    case missingToken = "missing_token"
    case invalidToken = "invalid_token"
    case tokenExpired = "token_expired"
    case tokenRevoked = "token_revoked"
    case insufficientScope = "insufficient_scope"
    case insufficientRole = "insufficient_role"
    case unknownHost = "unknown_host"
    case noRoute = "no_route"
    case ambiguousPath = "ambiguous_path"
    case rateLimited = "rate_limited"
    case crossSiteRequest = "cross_site_request"
    case payloadTooLarge = "payload_too_large"
    case backendUnavailable = "backend_unavailable"
    case backendTimeout = "backend_timeout"
    case overloaded
    case storeUnavailable = "store_unavailable"
    case badRequest = "bad_request"
    case notAllowed = "not_allowed"
    case conflictingTokens = "conflicting_tokens"
    case upgradeRequired = "upgrade_required"

    /// A short heading for people (RFC 9457 section 3.1.3).
    public var title: StaticString {
        switch self {
        case .missingToken: "A token is needed"
        case .invalidToken: "The token is not valid"
        case .tokenExpired: "The token has expired"
        case .tokenRevoked: "The token was revoked"
        case .insufficientScope: "The token lacks a scope"
        case .insufficientRole: "The caller lacks a role"
        case .unknownHost: "No app answers here"
        case .noRoute: "This app has nothing here"
        case .ambiguousPath: "The path can be read in several ways"
        case .rateLimited: "Too many requests"
        case .crossSiteRequest: "The request comes from another site"
        case .payloadTooLarge: "The body is too large"
        case .backendUnavailable: "The app is not available"
        case .backendTimeout: "The app did not answer in time"
        case .overloaded: "Too much is going on"
        case .storeUnavailable: "The store is not available"
        case .badRequest: "The request is malformed"
        case .notAllowed: "This account may not sign in"
        case .conflictingTokens: "The tokens are of different subjects"
        case .upgradeRequired: "The app must be updated"
        }
    }
}

/// The outcome of a decision: the label of `gatehouse_auth_decisions_total` and the log's `outcome`.
public enum Outcome: Equatable, Sendable {
    /// A verified caller passed.
    case granted
    /// The path is open to everyone.
    case anonymous
    case refused(RefusalCode)

    /// The labels by ``index``.
    public static let allLabels = ["granted", "anonymous"] + RefusalCode.allCases.map(\.rawValue)

    public var label: String {
        switch self {
        case .granted: "granted"
        case .anonymous: "anonymous"
        case .refused(let code): code.rawValue
        }
    }

    /// Its index in ``allLabels``, for counters in arrays.
    @inlinable public var index: Int {
        switch self {
        case .granted: 0
        case .anonymous: 1
        case .refused(let code): 2 + code.index
        }
    }
}

extension RefusalCode {
    @inlinable var index: Int {
        switch self {
        case .missingToken: 0
        case .invalidToken: 1
        case .tokenExpired: 2
        case .tokenRevoked: 3
        case .insufficientScope: 4
        case .insufficientRole: 5
        case .unknownHost: 6
        case .noRoute: 7
        case .ambiguousPath: 8
        case .rateLimited: 9
        case .crossSiteRequest: 10
        case .payloadTooLarge: 11
        case .backendUnavailable: 12
        case .backendTimeout: 13
        case .overloaded: 14
        case .storeUnavailable: 15
        case .badRequest: 16
        case .notAllowed: 17
        case .conflictingTokens: 18
        case .upgradeRequired: 19
        }
    }
}
