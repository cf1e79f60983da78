import Logging
import Tenants

/// The providers for a tenant's browser sign-ins.
enum BrowserProviders {
    /// The providers on the hosted page: `sign_in.apple.web` once its key is there, `sign_in.google.web`, and those of
    /// `sign_in.providers`.
    static func forPage(
        _ tenant: Tenant,
        metadata: ProviderMetadata,
        tokens: any ProviderTokens,
        requests: any ProviderRequests,
        logger: Logger
    ) -> [any BrowserProvider] {
        guard let signIn = tenant.signIn else { return [] }
        var providers: [any BrowserProvider] = []
        if let apple = signIn.apple, let web = apple.web,
            let provider = Self.apple(apple, web, web.clientID, tokens, requests, logger)
        {
            providers.append(provider)
        }
        if let web = signIn.google?.web {
            providers.append(google(signIn, web.clientID, web.clientSecret, tokens, requests, logger))
        }
        for named in signIn.named {
            switch named.service {
            case .openID(let service):
                guard let source = metadata.source(of: named) else { continue }
                providers.append(
                    OpenIDBrowserProvider(
                        named,
                        service,
                        who: signIn.who,
                        metadata: source,
                        tokens: tokens,
                        requests: requests,
                        logger: logger
                    )
                )
            case .oauth2(let service):
                providers.append(
                    OAuth2BrowserProvider(named, service, who: signIn.who, requests: requests, logger: logger)
                )
            }
        }
        return providers
    }

    /// The provider that `sign_in.web` names, with its own client: Google, or Apple with the key of `sign_in.apple.web`.
    ///
    /// - Returns: Nil if it names none, or without a key for Apple.
    static func forWeb(
        _ tenant: Tenant,
        tokens: any ProviderTokens,
        requests: any ProviderRequests,
        logger: Logger
    ) -> (any BrowserProvider)? {
        guard let signIn = tenant.signIn, let web = signIn.web else { return nil }
        guard let clientID = web.clientID else { return nil }
        switch web.provider {
        case .apple?:
            guard let apple = signIn.apple, let service = apple.web else { return nil }
            return Self.apple(apple, service, clientID, tokens, requests, logger)
        case .google?:
            return google(signIn, clientID, web.clientSecret, tokens, requests, logger)
        case .named?, nil: return nil
        }
    }

    private static func google(
        _ signIn: SignIn,
        _ clientID: String,
        _ clientSecret: Secret?,
        _ tokens: any ProviderTokens,
        _ requests: any ProviderRequests,
        _ logger: Logger
    ) -> GoogleBrowserProvider {
        GoogleBrowserProvider(
            at: signIn.googleAddresses,
            clientID: clientID,
            clientSecret: clientSecret,
            isOffline: signIn.deletion != nil,
            tokens: tokens,
            requests: requests,
            logger: logger
        )
    }

    private static func apple(
        _ apple: AppleSignIn,
        _ web: AppleSignIn.Web,
        _ clientID: String,
        _ tokens: any ProviderTokens,
        _ requests: any ProviderRequests,
        _ logger: Logger
    ) -> AppleBrowserProvider? {
        let provider = AppleBrowserProvider(
            apple,
            clientID: clientID,
            web: web,
            tokens: tokens,
            requests: requests,
            logger: logger
        )
        if provider == nil, web.privateKey != nil {
            logger.error(
                "the key of sign_in.apple.web is not a P-256 private key in PEM: sign-in with Apple in browsers is off"
            )
        }
        return provider
    }
}
