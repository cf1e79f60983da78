/// Where browsers sign in at a provider, and what its ID tokens are verified by.
public struct BrowserAddresses: Sendable, Equatable {
    /// Every `iss` that its tokens may carry, the usual one first.
    public var issuers: [String]
    public var keys: RemoteKeySource
    public var authorizeURL: String
    public var tokenURL: String
}

extension SignIn {
    /// Those of the provider's section, or the provider's own where there is no section: `web` needs none for Google.
    public func browserAddresses(of provider: Provider) -> BrowserAddresses {
        switch provider {
        case .apple:
            BrowserAddresses(
                issuers: [apple?.issuer ?? AppleSignIn.standardIssuer],
                keys: apple?.keys ?? AppleSignIn.standardKeys,
                authorizeURL: apple?.authorizeURL ?? AppleSignIn.standardAuthorizeURL,
                tokenURL: apple?.tokenURL ?? AppleSignIn.standardTokenURL
            )
        case .google:
            BrowserAddresses(
                issuers: google?.issuers ?? GoogleSignIn.standardIssuers,
                keys: google?.keys ?? GoogleSignIn.standardKeys,
                authorizeURL: google?.authorizeURL ?? GoogleSignIn.standardAuthorizeURL,
                tokenURL: google?.tokenURL ?? GoogleSignIn.standardTokenURL
            )
        }
    }
}
