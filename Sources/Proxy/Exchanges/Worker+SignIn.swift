import IdentityProvider
import NIOCore

/// What the loops have to do with signing in besides single requests.
extension Worker {
    /// Questions of one tenant that may be under way on a loop: each holds a request's body, and most wait for the store
    /// or a provider. One tenant's provider that is slow leaves the others their places.
    private static let mostQuestions = 256

    /// Has an endpoint's question answered. Gives whether there is room for it.
    func ask(_ question: EndpointRequest, for exchange: RequestExchange) -> Bool {
        guard let tenant = exchange.tenant, tenant.questionsUnderWay < Self.mostQuestions else { return false }
        tenant.questionsUnderWay += 1
        let bound = NIOLoopBound((tenant, exchange), eventLoop: eventLoop)
        let id = exchange.id
        let place = tenant.index
        Task { [eventLoop, controlPlane] in
            let answer = await controlPlane.answer(place, question)
            eventLoop.execute {
                let (tenant, exchange) = bound.value
                tenant.questionsUnderWay -= 1
                // Whoever asked may be gone, and the object serve another request.
                if exchange.id == id { exchange.endpointAnswered(answer) }
            }
        }
        return true
    }

    /// Puts on record that the backend has let somebody in.
    func register(_ identity: ProviderIdentity, _ tenant: ServedTenant, for exchange: RequestExchange) {
        let bound = NIOLoopBound(exchange, eventLoop: eventLoop)
        let id = exchange.id
        let place = tenant.index
        Task { [eventLoop, controlPlane] in
            await controlPlane.register(place, identity)
            eventLoop.execute {
                if bound.value.id == id { bound.value.registered() }
            }
        }
    }
}
