import Logging
import Tenants
import Time

/// Sign in with Google on the web: the authorization code flow with PKCE (RFC 7636).
struct GoogleBrowserProvider: BrowserProvider {
    let provider = SignIn.Provider.google
    let takesLoginHint = true
    private let clientID: String
    private let clientSecret: Secret?
    private let authorizeURL: String
    private let tokens: any ProviderTokens
    private let exchange: CodeExchange
    private let isOffline: Bool

    /// - Parameters:
    ///   - addresses: Google's.
    ///   - clientSecret: Nil for a client without one.
    ///   - isOffline: Whether Google is asked for a refresh token too.
    init(
        at addresses: BrowserAddresses,
        clientID: String,
        clientSecret: Secret?,
        isOffline: Bool = false,
        tokens: any ProviderTokens,
        requests: any ProviderRequests,
        logger: Logger
    ) {
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.isOffline = isOffline
        authorizeURL = addresses.authorizeURL
        self.tokens = tokens
        exchange = CodeExchange(provider: .google, tokenURL: addresses.tokenURL, requests: requests, logger: logger)
    }

    func authorizationURL(
        redirectURI: String,
        state: String,
        nonce: String,
        codeChallenge: String,
        signsInAnew: Bool,
        at now: UnixTime
    ) -> String {
        FormText.url(
            authorizeURL,
            adding: [
                ("response_type", "code"), ("client_id", clientID), ("redirect_uri", redirectURI),
                ("scope", "openid email profile"), ("state", state), ("nonce", nonce),
                ("code_challenge", codeChallenge), ("code_challenge_method", "S256"),
            ] + (signsInAnew ? [("prompt", "select_account")] : [])
                + (isOffline ? [("access_type", "offline")] : [])
        )
    }

    func identity(
        code: String,
        codeVerifier: String,
        nonce: String,
        redirectURI: String,
        at now: UnixTime
    ) async throws(EndpointRefusal) -> ProviderIdentity {
        var credentials = [(name: "client_id", value: clientID)]
        if let clientSecret {
            credentials.append((name: "client_secret", value: String(decoding: clientSecret.bytes, as: UTF8.self)))
        }
        credentials.append((name: "code_verifier", value: codeVerifier))
        let (token, refreshToken) = try await exchange.idToken(
            for: code,
            redirectURI: redirectURI,
            credentials: credentials
        )
        var identity = try await tokens.browserIdentity(
            token,
            as: .googleWebIdentity,
            for: clientID,
            nonce: nonce,
            at: now
        )
        identity.given = GivenToken(clientID: clientID, token: refreshToken)
        return identity
    }
}

extension GoogleBrowserProvider: CustomStringConvertible, CustomReflectable {
    var description: String { "Google in a browser (\(clientID))" }

    var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
