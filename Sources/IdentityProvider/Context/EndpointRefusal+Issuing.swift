extension EndpointRefusal {
    /// What a session that the store refuses, or that cannot be signed for, comes to.
    public init(_ error: IssuingError) {
        switch error {
        case .refused: self = .invalidToken("the session has ended: sign in again")
        case .unavailable: self = .storeUnavailable
        case .cannotSign:
            self.init(
                .overloaded,
                status: 503,
                detail: "tokens cannot be signed at the moment",
                retryAfterSeconds: 5
            )
        }
    }
}
