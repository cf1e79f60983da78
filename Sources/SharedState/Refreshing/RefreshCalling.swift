public import Tenants
public import Verification

/// What proves a session to its provider.
public struct RefreshCredential: Sendable {
    /// The old access token.
    public var accessToken: [UInt8]
    /// What it was verified as.
    public var principal: Principal
    /// Nil for strategies that need none.
    public var refreshToken: [UInt8]?
    /// The Host of a request that wants the refresh, for calls to the backend.
    public var host: [UInt8]
}

/// What one call to the provider came to. Nothing of it has been verified yet.
public enum RefreshCallResult: Sendable {
    case tokens(ReceivedTokens)
    /// The session is over (4xx).
    case refused
    case failed(RefreshFailure)

    /// Whether another try may do better.
    var mayRetry: Bool {
        switch self {
        case .tokens, .refused: false
        case .failed(let trouble):
            switch trouble {
            case .network, .providerFailed, .timeout: true
            case .refused, .revoked, .noRefreshToken, .spentToken, .garbledAnswer, .tooLargeAnswer, .badToken,
                .otherSubject, .sameToken, .justRefreshed, .overloaded, .storeUnavailable, .late:
                false
            }
        }
    }
}

/// The provider's answer, read.
public struct ReceivedTokens: Sendable, Equatable {
    public var accessToken: [UInt8]
    /// Nil where the old one stays good.
    public var refreshToken: [UInt8]?
    /// The values of the tenant's `deliver.cookies`, as far as the answer has them.
    public var cookies: [Renewal.Cookie]

    public init(accessToken: [UInt8], refreshToken: [UInt8]? = nil, cookies: [Renewal.Cookie]) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.cookies = cookies
    }
}

/// Makes a tenant's refresh call: one try of it.
public protocol RefreshCalling: Sendable {
    func call(_ credential: RefreshCredential, tenant: TenantIndex) async -> RefreshCallResult
}
