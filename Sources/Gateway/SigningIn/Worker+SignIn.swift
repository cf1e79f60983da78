import Issuing
import NIOCore

/// What the loops have to do with signing in besides single requests.
extension Worker {
    /// Questions of one loop that may be under way: each holds a request's body, and most wait for the store.
    private static let mostQuestions = 1024

    /// Has an endpoint's question answered. Gives whether there is room for it.
    func ask(_ question: EndpointRequest, for client: ClientExchange, at server: EndpointExchange) -> Bool {
        guard questionsUnderWay < Self.mostQuestions, let tenant = client.record.tenant?.index else { return false }
        questionsUnderWay += 1
        let bound = NIOLoopBound((self, client, server), eventLoop: eventLoop)
        let serial = client.serial
        Task { [eventLoop, controlPlane] in
            let answer = await controlPlane.answer(tenant, question)
            eventLoop.execute {
                let (worker, client, server) = bound.value
                worker.questionsUnderWay -= 1
                // Whoever asked may be gone, and the object serve another request.
                if client.serial == serial { client.endpointTold(answer, server) }
            }
        }
        return true
    }

    /// Puts on record that the backend has let somebody in.
    func register(_ identity: ProviderIdentity, _ tenant: TenantRuntime, for client: ClientExchange) {
        let bound = NIOLoopBound(client, eventLoop: eventLoop)
        let serial = client.serial
        let place = tenant.index
        Task { [eventLoop, controlPlane] in
            await controlPlane.register(place, identity)
            eventLoop.execute {
                if bound.value.serial == serial { bound.value.registered() }
            }
        }
    }
}
