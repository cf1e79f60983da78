import Logging
import Tenants

/// Exchanges codes for ID tokens at a provider's token endpoint (RFC 6749 section 4.1.3), as a confidential client.
struct CodeExchange: Sendable {
    private static let longestCode = 4096
    /// The errors of RFC 6749 section 5.2 and Google's; others are not logged, as they may contain anything.
    private static let knownErrors: Set<String> = [
        "invalid_client", "invalid_request", "invalid_scope", "redirect_uri_mismatch", "unauthorized_client",
        "unsupported_grant_type",
    ]

    let provider: SignIn.Provider
    let tokenURL: String
    let requests: any ProviderRequests
    let logger: Logger

    /// - Parameters:
    ///   - redirectURI: The one in the authorization request.
    ///   - credentials: The client's own parameters, and others that the provider needs.
    /// - Returns: The ID token, not verified.
    func idToken(
        for code: String,
        redirectURI: String,
        credentials: [(name: String, value: String)]
    ) async throws(EndpointRefusal) -> String {
        guard PlainText.isVisible(code, longest: Self.longestCode) else { throw notCompleted }
        let grant = [
            (name: "grant_type", value: "authorization_code"),
            (name: "code", value: code),
            (name: "redirect_uri", value: redirectURI),
        ]
        let request = ProviderRequest(
            method: "POST",
            url: tokenURL,
            fields: [
                .init("Content-Type", "application/x-www-form-urlencoded"), .init("Accept", "application/json"),
            ],
            body: Array(FormText.text(of: grant + credentials).utf8)
        )
        switch await requests.reply(to: request) {
        case .object(let object):
            guard let token = object["id_token"]?.string else { throw EndpointRefusal(.garbled, of: provider) }
            return token
        case .refused(error: "invalid_grant"): throw notCompleted
        case .refused(let error): throw refusedClient(error)
        case .trouble(let trouble): throw EndpointRefusal(trouble, of: provider)
        }
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
