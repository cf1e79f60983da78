import Verification

/// What proves a session to its provider.
struct RefreshCredential: Sendable {
    /// The old access token.
    var accessToken: [UInt8]
    /// What it was verified as.
    var principal: Principal
    /// Nil for strategies that need none.
    var refreshToken: [UInt8]?
    /// The Host of a request that wants the refresh, for calls to the backend.
    var host: [UInt8]
}

/// What one call to the provider came to. Nothing of it has been verified yet.
enum RefreshCallResult: Sendable {
    case tokens(ReceivedTokens)
    /// The session is over (4xx).
    case refused
    case failed(RefreshTrouble)

    /// Whether another try may do better.
    var mayRetry: Bool {
        switch self {
        case .failed(.network), .failed(.providerFailed), .failed(.timeout): true
        default: false
        }
    }
}

/// The provider's answer, read.
struct ReceivedTokens: Sendable, Equatable {
    var accessToken: [UInt8]
    /// Nil where the old one stays good.
    var refreshToken: [UInt8]?
    /// The values of the tenant's `deliver.cookies`, as far as the answer has them.
    var cookies: [Renewal.Cookie]
}

/// Makes a tenant's refresh call: one try of it.
protocol RefreshCalling: Sendable {
    func call(_ credential: RefreshCredential, tenant: Int) async -> RefreshCallResult
}
