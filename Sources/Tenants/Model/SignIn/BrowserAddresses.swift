/// The addresses of Apple or Google for sign-in in a browser, and the keys of its ID tokens.
public struct BrowserAddresses: Sendable, Equatable {
    /// Every `iss` that its tokens may carry, the usual one first.
    public var issuers: [String]
    public var keys: RemoteKeySource
    public var authorizeURL: String
    public var tokenURL: String
    /// Where tokens are taken back.
    public var revokeURL: String
}

extension SignIn {
    /// From the section of Apple, or its defaults.
    public var appleAddresses: BrowserAddresses {
        BrowserAddresses(
            issuers: [apple?.issuer ?? AppleSignIn.defaultIssuer],
            keys: apple?.keys ?? AppleSignIn.defaultKeys,
            authorizeURL: apple?.authorizeURL ?? AppleSignIn.defaultAuthorizeURL,
            tokenURL: apple?.tokenURL ?? AppleSignIn.defaultTokenURL,
            revokeURL: apple?.revokeURL ?? AppleSignIn.defaultRevokeURL
        )
    }

    /// From the section of Google, or its defaults: `web` needs no section for Google.
    public var googleAddresses: BrowserAddresses {
        BrowserAddresses(
            issuers: google?.issuers ?? GoogleSignIn.defaultIssuers,
            keys: google?.keys ?? GoogleSignIn.defaultKeys,
            authorizeURL: google?.authorizeURL ?? GoogleSignIn.defaultAuthorizeURL,
            tokenURL: google?.tokenURL ?? GoogleSignIn.defaultTokenURL,
            revokeURL: google?.revokeURL ?? GoogleSignIn.defaultRevokeURL
        )
    }

    /// What tells a provider from others of its name: every `iss` that its tokens may carry; with OAuth 2 alone, the
    /// address that names its users. Empty for a name that the tenant does not have.
    public func issuers(of provider: Provider) -> [String] {
        switch provider {
        case .apple: appleAddresses.issuers
        case .google: googleAddresses.issuers
        case .named(let name):
            switch named(name)?.service {
            case .openID(let service)?: [service.issuer]
            case .oauth2(let service)?: [service.userInfoURL]
            case nil: []
            }
        }
    }

    /// What an identity of a provider is unique in: its issuers, and for a named one also where its subjects are, since what one
    /// place has can be another user's in another.
    func identitySources(of provider: Provider) -> [String] {
        guard case .named(let name) = provider, let rules = named(name) else { return issuers(of: provider) }
        return issuers(of: provider).map { "\($0) \(rules.subject.text)" }
    }

    /// The keys of a provider's ID tokens; nil if it signs none.
    public func keys(of provider: Provider) -> RemoteKeySource? {
        switch provider {
        case .apple: return appleAddresses.keys
        case .google: return googleAddresses.keys
        case .named(let name):
            guard case .openID(let service)? = named(name)?.service else { return nil }
            return service.keys
        }
    }
}
