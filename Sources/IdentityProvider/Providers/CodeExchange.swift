package import Logging
package import Tenants
package import Verification

/// Exchanges codes for tokens at a provider's token endpoint (RFC 6749 section 4.1.3), as a confidential client.
package struct CodeExchange: Sendable {
    private static let longestCode = 4096
    /// The errors of RFC 6749 section 5.2 and Google's; others are not logged, as they may contain anything.
    private static let knownErrors: Set<String> = [
        "invalid_client", "invalid_request", "invalid_scope", "redirect_uri_mismatch", "unauthorized_client",
        "unsupported_grant_type", "incorrect_client_credentials", "unverified_user_email",
    ]
    /// The code itself: RFC 6749 section 5.2, and GitHub's.
    private static let codeErrors: Set<String> = ["invalid_grant", "bad_verification_code"]

    let provider: SignIn.Provider
    let tokenURL: String
    let requests: any ProviderRequests
    let logger: Logger

    package init(provider: SignIn.Provider, tokenURL: String, requests: any ProviderRequests, logger: Logger) {
        self.provider = provider
        self.tokenURL = tokenURL
        self.requests = requests
        self.logger = logger
    }

    /// - Parameters:
    ///   - redirectURI: The one in the authorization request.
    ///   - credentials: The client's own parameters, and others that the provider needs.
    /// - Returns: The ID token, not verified, and the refresh token if there is one.
    func idToken(
        for code: String,
        redirectURI: String,
        credentials: [(name: String, value: String)]
    ) async throws(EndpointRefusal) -> (token: String, refreshToken: String?) {
        let response = try await response(to: code, redirectURI: redirectURI, credentials: credentials)
        guard let token = response["id_token"]?.string else { throw EndpointRefusal(.garbled, of: provider) }
        return (token, response["refresh_token"]?.string)
    }

    /// - Parameters:
    ///   - redirectURI: Nil for a code that was given without one.
    ///   - fields: Besides those of every such request.
    /// - Returns: What the provider gives for the code, not verified.
    package func response(
        to code: String,
        redirectURI: String?,
        credentials: [(name: String, value: String)],
        fields: [EndpointResponse.Field] = []
    ) async throws(EndpointRefusal) -> JSONObject {
        guard PlainText.isVisible(code, longest: Self.longestCode) else { throw notCompleted }
        let grant =
            [(name: "grant_type", value: "authorization_code"), (name: "code", value: code)]
            + (redirectURI.map { [(name: "redirect_uri", value: $0)] } ?? [])
        let request = ProviderRequest(
            method: "POST",
            url: tokenURL,
            fields: [
                .init("Content-Type", "application/x-www-form-urlencoded"), .init("Accept", "application/json"),
            ] + fields,
            body: Array(FormText.text(of: grant + credentials).utf8)
        )
        switch await requests.reply(to: request) {
        // GitHub writes errors with 200.
        case .object(let object) where object["error"]?.string != nil && object["access_token"] == nil:
            throw refusal(object["error"]?.string)
        case .object(let object): return object
        case .refused(let error): throw refusal(error)
        case .trouble(let trouble): throw EndpointRefusal(trouble, of: provider)
        }
    }

    private func refusal(_ error: String?) -> EndpointRefusal {
        error.map(Self.codeErrors.contains) == true ? notCompleted : refusedClient(error)
    }

    /// The code has expired, was used, or belongs to another sign-in.
    private var notCompleted: EndpointRefusal {
        .invalidToken("the sign-in at \(provider.vendor) was not completed: start again")
    }

    /// Sign-in fails until the operator corrects the client's secret, key or registration.
    private func refusedClient(_ error: String?) -> EndpointRefusal {
        let label = error.flatMap { Self.knownErrors.contains($0) ? $0 : nil } ?? "another error"
        logger.error(
            "\(provider.vendor) refuses the gateway as a client: check client ID, secret or key, and redirect URI",
            metadata: ["provider": "\(provider.rawValue)", "error": "\(label)"]
        )
        return .providerUnavailable("signing in with \(provider.vendor) is not possible at the moment")
    }
}
