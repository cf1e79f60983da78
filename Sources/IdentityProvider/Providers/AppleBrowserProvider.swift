import Logging
import Tenants
import Time
import Verification

/// Sign in with Apple on the web. Apple does not support PKCE: nonce and state bind a sign-in to its browser.
struct AppleBrowserProvider: BrowserProvider {
    let provider = SignIn.Provider.apple
    let asksAnew = true
    private let clientID: String
    private let issuer: String
    private let authorizeURL: String
    private let secret: AppleClientSecret
    private let tokens: any ProviderTokens
    private let exchange: CodeExchange

    /// - Parameters:
    ///   - clientID: The Services ID for browsers.
    ///   - web: The key that signs for it.
    /// - Returns: Nil without a usable key.
    init?(
        _ apple: AppleSignIn,
        clientID: String,
        web: AppleSignIn.Web,
        tokens: any ProviderTokens,
        requests: any ProviderRequests,
        logger: Logger
    ) {
        guard let secret = AppleClientSecret(web) else { return nil }
        self.clientID = clientID
        issuer = apple.issuer
        authorizeURL = apple.authorizeURL
        self.secret = secret
        self.tokens = tokens
        exchange = CodeExchange(provider: .apple, tokenURL: apple.tokenURL, requests: requests, logger: logger)
    }

    /// Apple sends name and e-mail only with `form_post`.
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
                ("response_type", "code"), ("response_mode", "form_post"), ("client_id", clientID),
                ("redirect_uri", redirectURI), ("scope", "name email"), ("state", state), ("nonce", nonce),
            ]
        )
    }

    func identity(
        code: String,
        codeVerifier: String,
        nonce: String,
        redirectURI: String,
        at now: UnixTime
    ) async throws(EndpointRefusal) -> ProviderIdentity {
        let (token, refreshToken) = try await exchange.idToken(
            for: code,
            redirectURI: redirectURI,
            credentials: [("client_id", clientID), ("client_secret", try clientSecret(at: now))]
        )
        var identity = try await tokens.browserIdentity(
            token,
            as: .appleWebIdentity,
            for: clientID,
            nonce: nonce,
            at: now
        )
        identity.given = GivenToken(clientID: clientID, token: refreshToken)
        return identity
    }

    private func clientSecret(at now: UnixTime) throws(EndpointRefusal) -> String {
        do throws(SigningError) {
            return try secret.make(for: clientID, audience: issuer, at: now)
        } catch {
            exchange.logger.error("the client secret for Apple cannot be signed", metadata: ["reason": "\(error)"])
            throw .providerUnavailable("signing in with Apple is not possible at the moment")
        }
    }
}

extension AppleBrowserProvider: CustomStringConvertible, CustomReflectable {
    var description: String { "Apple in a browser (\(clientID))" }

    var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
