import Tenants
import Time

/// A provider for browser sign-in: the gateway is its OpenID client.
protocol BrowserProvider: Sendable {
    var provider: SignIn.Provider { get }
    /// Its name for people.
    var label: String { get }
    /// Whether the page leads to a path of ours first, because the provider's own address may have to be found.
    var isFoundFirst: Bool { get }
    /// Whether its URL may have a `login_hint` (OpenID Connect Core section 3.1.2.1).
    var takesLoginHint: Bool { get }
    /// Whether it asks who it is, also where somebody is signed in, if it is told to (`signsInAnew`).
    var asksAnew: Bool { get }

    /// Checks the issuer that a response through the browser names (RFC 9207 section 2.4).
    ///
    /// - Parameter issuer: nil if it names none.
    /// - Returns: False for a response that is not this provider's.
    func accepts(issuer: String?, at now: UnixTime) async throws(EndpointRefusal) -> Bool

    /// The URL for the browser (authorization code flow; PKCE S256 if the provider supports it).
    ///
    /// - Parameters:
    ///   - nonce: Expected in the ID token.
    ///   - codeChallenge: RFC 7636 section 4.2.
    ///   - signsInAnew: Whether the provider is to ask who it is also where somebody is signed in, as far as it can: OpenID
    ///     providers by `prompt=login` and `max_age=0`, Google by the choice of an account; Apple always does.
    func authorizationURL(
        redirectURI: String,
        state: String,
        nonce: String,
        codeChallenge: String,
        signsInAnew: Bool,
        at now: UnixTime
    ) async throws(EndpointRefusal) -> String

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

extension BrowserProvider {
    var label: String { provider.vendor }
    var isFoundFirst: Bool { false }
    var takesLoginHint: Bool { false }
    var asksAnew: Bool { false }

    func accepts(issuer: String?, at now: UnixTime) -> Bool { true }
}
