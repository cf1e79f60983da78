import Store

/// A sign-in that ends early, with the response to send.
struct EarlySignInResponse: Error, Sendable, Equatable {
    let result: EndpointResult

    init(_ refusal: EndpointRefusal) {
        result = .refused(refusal)
    }

    init(_ problem: AccountProblem) {
        result = problem.result
    }

    init(_ error: IssuingError) {
        result = .refused(EndpointRefusal(error))
    }

    /// Whatever the store's error, nothing was acknowledged.
    init(_ error: StoreError) {
        self.init(IssuingError.unavailable(error))
    }
}
