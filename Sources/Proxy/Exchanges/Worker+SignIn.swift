import IdentityProvider

/// What the loops have to do with signing in besides single requests.
extension Worker {
    /// Questions of one tenant that may be under way on a loop: each holds a request's body, and most wait for the store
    /// or a provider. One tenant's provider that is slow leaves the others their places.
    private static let mostQuestions = 256

    /// Has an endpoint's question answered. Gives whether there is room for it.
    func ask(_ question: EndpointRequest, for exchange: RequestExchange) -> Bool {
        guard let tenant = exchange.tenant, tenant.questionsUnderWay < Self.mostQuestions else { return false }
        tenant.questionsUnderWay += 1
        let place = tenant.index
        run(for: exchange) {
            await $0.answer(place, question)
        } ended: {
            tenant.questionsUnderWay -= 1
        } then: {
            $0.endpointAnswered($1)
        }
        return true
    }
}
