import Store
import Tenants

extension BrowserEndpoints {
    /// Bytes of an authorization request: the limit of most servers' request lines, and of each parameter.
    private static let longestRequest = 8192

    /// The authorization endpoint (RFC 6749 section 3.1): the page with the providers, or an error. The error goes to
    /// the client if that is known for certain, otherwise to the user.
    func authorize(_ request: EndpointRequest) async throws(SignInProblem) -> EndpointResponse {
        guard let issuer = context.tenant.issuer else { throw .unknownClient }
        let parameters = try parameters(of: request)
        guard parameters.count <= Self.longestRequest else { throw .malformed }
        switch AuthorizationRequestResult(parameters, clients: issuer.clients, bindsCodes: context.tenant.proof != nil)
        {
        case .untrusted: throw .unknownClient
        case .refused(let error, let client): return errorRedirect(client, error, issuer, request)
        case .valid(let authorization):
            guard !page.isEmpty else { return errorRedirect(authorization.client, .unavailable, issuer, request) }
            return try await hostedPage(authorization, issuer, request)
        }
    }

    /// The path to which a provider returns for the page.
    static func callbackPath(_ provider: SignIn.Provider, _ issuer: BuiltInIssuer) -> String {
        issuer.basePath + IssuerPath.callback(of: provider)
    }

    private func hostedPage(
        _ authorization: AuthorizationRequest,
        _ issuer: BuiltInIssuer,
        _ request: EndpointRequest
    ) async throws(SignInProblem) -> EndpointResponse {
        let redirectURIs = page.map { ($0.provider, request.origin + Self.callbackPath($0.provider, issuer)) }
        let client = authorization.client
        let begun: (id: SignInID, transaction: SignInTransaction, cookie: EndpointResponse.Field)
        do throws(StoreError) {
            begun = try await begin(
                .client(authorization),
                Dictionary(redirectURIs) { first, _ in first },
                for: request
            )
        } catch {
            return errorRedirect(client, .unavailable, issuer, request)
        }
        return try await page(
            of: page,
            begun,
            destination: client.destination,
            cancelURL: client.isLinkable ? client.url(.cancelled, issuer: issuer.url) : nil,
            passkey: client.isLinkable ? prompt(begun.transaction, begun.id, request) : nil,
            for: request
        )
    }

    private func errorRedirect(
        _ client: ClientReturn,
        _ error: AuthorizationError,
        _ issuer: BuiltInIssuer,
        _ request: EndpointRequest
    ) -> EndpointResponse {
        log(.info, error.code.rawValue, request, client: client.clientID)
        return .redirect(to: client.url(error, issuer: issuer.url))
    }
}
