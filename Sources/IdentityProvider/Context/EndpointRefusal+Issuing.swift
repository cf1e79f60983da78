extension EndpointRefusal {
    /// Maps an error of the session service.
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
