public import Tenants
public import Verification

/// The credentials of a session.
public struct RefreshCredential: Sendable {
    /// The old access token.
    public var accessToken: [UInt8]
    /// The access token's.
    public var principal: Principal
    /// Nil if the strategy needs none.
    public var refreshToken: [UInt8]?
    /// The Host of the request, for calls to the backend.
    public var host: [UInt8]
}

/// The unverified result of one call to the provider.
public enum RefreshCallResult: Sendable {
    case tokens(ReceivedTokens)
    /// The session is over (4xx).
    case refused
    case failed(RefreshFailure)

    /// Whether another call may succeed.
    var mayRetry: Bool {
        switch self {
        case .tokens, .refused: false
        case .failed(let reason):
            switch reason {
            case .network, .providerFailed, .timeout: true
            case .refused, .revoked, .noRefreshToken, .spentToken, .garbledAnswer, .tooLargeAnswer, .badToken,
                .otherSubject, .sameToken, .justRefreshed, .overloaded, .storeUnavailable, .late:
                false
            }
        }
    }
}

/// The provider's response, parsed.
public struct ReceivedTokens: Sendable, Equatable {
    public var accessToken: [UInt8]
    /// Nil if the old one stays valid.
    public var refreshToken: [UInt8]?
    /// The tenant's `deliver.cookies` that the response has values for.
    public var cookies: [Renewal.Cookie]

    public init(accessToken: [UInt8], refreshToken: [UInt8]? = nil, cookies: [Renewal.Cookie]) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.cookies = cookies
    }
}

/// Makes one attempt of a tenant's refresh call.
public protocol RefreshCalling: Sendable {
    func call(_ credential: RefreshCredential, tenant: TenantIndex) async -> RefreshCallResult
}
