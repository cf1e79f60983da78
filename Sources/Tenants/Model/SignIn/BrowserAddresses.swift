/// A provider's addresses for sign-in in a browser, and the keys of its ID tokens.
public struct BrowserAddresses: Sendable, Equatable {
    /// Every `iss` that its tokens may carry, the usual one first.
    public var issuers: [String]
    public var keys: RemoteKeySource
    public var authorizeURL: String
    public var tokenURL: String
}

extension SignIn {
    /// From the provider's section, or its defaults: `web` needs no section for Google.
    public func browserAddresses(of provider: Provider) -> BrowserAddresses {
        switch provider {
        case .apple:
            BrowserAddresses(
                issuers: [apple?.issuer ?? AppleSignIn.defaultIssuer],
                keys: apple?.keys ?? AppleSignIn.defaultKeys,
                authorizeURL: apple?.authorizeURL ?? AppleSignIn.defaultAuthorizeURL,
                tokenURL: apple?.tokenURL ?? AppleSignIn.defaultTokenURL
            )
        case .google:
            BrowserAddresses(
                issuers: google?.issuers ?? GoogleSignIn.defaultIssuers,
                keys: google?.keys ?? GoogleSignIn.defaultKeys,
                authorizeURL: google?.authorizeURL ?? GoogleSignIn.defaultAuthorizeURL,
                tokenURL: google?.tokenURL ?? GoogleSignIn.defaultTokenURL
            )
        }
    }
}
