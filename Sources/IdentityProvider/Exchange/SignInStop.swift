import Store

/// A sign-in that ends before there is anything to give.
struct SignInStop: Error, Sendable, Equatable {
    let answer: EndpointAnswer

    init(_ refusal: EndpointRefusal) {
        answer = .refused(refusal)
    }

    init(_ problem: AccountProblem) {
        answer = problem.answer
    }

    init(_ error: IssuingError) {
        answer = .refused(EndpointRefusal(error))
    }

    /// Whatever the store's trouble is, nothing was acknowledged.
    init(_ error: StoreError) {
        self.init(IssuingError.unavailable(error))
    }
}
