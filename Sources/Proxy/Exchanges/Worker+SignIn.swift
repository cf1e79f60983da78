import IdentityProvider

/// Sign-in work of a loop beyond single requests.
extension Worker {
    /// Endpoint requests of one tenant that may be under way on a loop: each holds a request's body, and most wait for
    /// the store or a provider. With a limit per tenant, one slow provider does not block the others.
    private static let mostEndpointRequests = 256

    /// Passes a request to an endpoint. Returns whether the limit allows it.
    func callEndpoint(_ request: EndpointRequest, for exchange: RequestExchange) -> Bool {
        guard let tenant = exchange.tenant, tenant.endpointRequests < Self.mostEndpointRequests else { return false }
        tenant.endpointRequests += 1
        let index = tenant.index
        run(for: exchange) {
            await $0.answer(index, request)
        } ended: {
            tenant.endpointRequests -= 1
        } then: {
            $0.endpointAnswered($1)
        }
        return true
    }
}
