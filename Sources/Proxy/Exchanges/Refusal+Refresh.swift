import Authorization
import SharedState

extension Refusal {
    /// The response if a token has expired and cannot be refreshed now. If trying again can help, the
    /// response does not say that the session is over.
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
