import Authorization
import SharedState

extension Refusal {
    /// What a client gets whose token has expired and could not be refreshed for the moment. Where trying again can help,
    /// it is not told that its session is over.
    static func withoutNewToken(_ trouble: RefreshFailure) -> Refusal {
        switch trouble {
        case .overloaded: .overloaded
        case .network, .providerFailed, .timeout, .late:
            Refusal(
                .backendUnavailable,
                status: 503,
                detail: "the token has expired, and a new one cannot be got at the moment",
                retryAfterSeconds: 1
            )
        case .storeUnavailable:
            Refusal(
                .storeUnavailable,
                status: 503,
                detail: "the token has expired, and a new one cannot be got at the moment",
                retryAfterSeconds: 1
            )
        case .refused, .revoked, .noRefreshToken, .spentToken, .garbledAnswer, .tooLargeAnswer, .badToken,
            .otherSubject, .sameToken, .justRefreshed:
            .tokenExpired
        }
    }
}
