import Tenants
import Time

/// A provider for browser sign-in: the gateway is its OpenID client.
protocol BrowserProvider: Sendable {
    var provider: SignIn.Provider { get }

    /// The URL for the browser (authorization code flow; PKCE S256 if the provider supports it).
    ///
    /// - Parameters:
    ///   - nonce: Expected in the ID token.
    ///   - codeChallenge: RFC 7636 section 4.2.
    func authorizationURL(redirectURI: String, state: String, nonce: String, codeChallenge: String) -> String

    /// Exchanges a code for the signed-in identity.
    ///
    /// - Parameters:
    ///   - nonce: The ID token must have it.
    func identity(
        code: String,
        codeVerifier: String,
        nonce: String,
        redirectURI: String,
        at now: UnixTime
    ) async throws(EndpointRefusal) -> ProviderIdentity
}
