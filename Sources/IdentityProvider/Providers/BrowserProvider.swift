import Tenants
import Time

/// A provider as browsers sign in there: the gateway is an OpenID client of it.
protocol BrowserProvider: Sendable {
    var provider: SignIn.Provider { get }

    /// Where the browser goes (authorization code flow; PKCE S256 where the provider knows it).
    ///
    /// - Parameters:
    ///   - nonce: As it will be in the ID token.
    ///   - codeChallenge: RFC 7636 section 4.2.
    func authorizationURL(redirectURI: String, state: String, nonce: String, codeChallenge: String) -> String

    /// Who has signed in.
    ///
    /// - Parameters:
    ///   - nonce: That the ID token must have.
    func identity(
        code: String,
        codeVerifier: String,
        nonce: String,
        redirectURI: String,
        at now: UnixTime
    ) async throws(EndpointRefusal) -> ProviderIdentity
}
