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
            do throws(StoreError) {
                return try await hostedPage(authorization, issuer, request)
            } catch {
                return errorRedirect(authorization.client, .unavailable, issuer, request)
            }
        }
    }

    /// The path to which a provider returns for the page.
    static func callbackPath(_ provider: SignIn.Provider, _ issuer: BuiltInIssuer) -> String {
        "\(issuer.basePath)/oauth2/callback/\(provider.rawValue)"
    }

    private func hostedPage(
        _ authorization: AuthorizationRequest,
        _ issuer: BuiltInIssuer,
        _ request: EndpointRequest
    ) async throws(StoreError) -> EndpointResponse {
        let redirectURIs = page.map { ($0.provider, request.origin + Self.callbackPath($0.provider, issuer)) }
        let (id, transaction, cookie) = try await begin(
            .client(authorization),
            Dictionary(redirectURIs) { first, _ in first },
            for: request
        )
        let client = authorization.client
        return SignInPageHTML(
            choices: page.compactMap { provider in
                transaction.legs[provider.provider].map {
                    SignInPageHTML.Choice(provider: provider.provider, url: providerURL(provider, id, $0))
                }
            },
            destination: client.destination,
            cancelURL: client.isLinkable ? client.url(.cancelled, issuer: issuer.url) : nil
        ).response(in: frame, cookie: cookie)
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
