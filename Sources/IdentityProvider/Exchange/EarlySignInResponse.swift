import Store

/// A sign-in that ends early, with the response to send.
struct EarlySignInResponse: Error, Sendable, Equatable {
    let answer: EndpointResult

    init(_ refusal: EndpointRefusal) {
        answer = .refused(refusal)
    }

    init(_ problem: AccountProblem) {
        answer = problem.answer
    }

    init(_ error: IssuingError) {
        answer = .refused(EndpointRefusal(error))
    }

    /// Whatever the store's error, nothing was acknowledged.
    init(_ error: StoreError) {
        self.init(IssuingError.unavailable(error))
    }
}
