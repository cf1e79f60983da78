/// How people sign in to a tenant.
public struct SignIn: Sendable, Equatable {
    public var apple: AppleSignIn?
    public var google: GoogleSignIn?
    /// In the order of the file, which is that of the hosted page.
    public var named: [NamedProvider] = []
    /// nil: everyone whom a provider signs in.
    public var who: SignInAdmission?
    /// Sign-in in a browser, with cookies.
    public var web: WebSignIn?
    public var navigations = Schema.unauthenticated.navigations.default
    public var endpoints: SessionEndpoints = SessionEndpoints()
    /// Where people see their sessions, logins and passkeys; nil: there is no such page.
    public var accountPage: PathPattern?
    /// Nil: nobody can make one, or sign in with one.
    public var passkeys: PasskeyRules?
    /// Nil: nobody deletes an account here.
    public var deletion: AccountDeletionRules?

    /// How recently one of the tenant's providers must have signed somebody in for a passkey to do; nil: once is enough.
    ///
    /// Only a provider knows whether somebody is still one of those whom `who` lets in.
    public var passkeyConfirmation: Duration? {
        passkeys?.confirmation ?? (who == nil ? nil : .seconds(30 * 86_400))
    }

    /// What happens after a provider's token was verified.
    public enum Exchange: String, Sendable, CaseIterable {
        /// The request goes on to the backend as received, with the verified identity in `X-Verified-*`.
        case forward
        /// The gateway responds with tokens of its own.
        case issue
    }

    /// The identity providers.
    public enum Provider: Sendable, Hashable {
        case apple
        case google
        /// One of `providers`, by its key there.
        case named(String)
    }
}

/// Session endpoints at the tenant's own paths; nil: there is none.
public struct SessionEndpoints: Sendable, Equatable {
    /// Responds with a new pair of tokens.
    public var refresh: PathPattern?
    /// Both respond with the user.
    public var validate: PathPattern?
    public var me: PathPattern?
    /// Ends this session.
    public var logout: PathPattern?
}

/// Sign-in in a browser at the tenant's own paths, which ends with cookies.
public struct WebSignIn: Sendable, Equatable {
    /// Starts a sign-in.
    public var login: PathPattern
    /// Where the provider returns to; with `providers`, each at its name below.
    public var callback: PathPattern
    /// nil: all of the tenant's, on a page.
    public var provider: SignIn.Provider?
    /// The client at the provider; nil: that of the provider's own section.
    public var clientID: String?
    /// Its secret; nil if it has none, or if a key signs for it (Apple).
    public var clientSecret: Secret?
    /// The URL after a sign-in; the only origin that the parameter `after` may name.
    public var after: String
    /// The cookies' names, with their prefix.
    public var accessCookie: String
    public var refreshCookie: String
    public var cookieRules = CookieRules()

    /// Whether a cookie is one of the two.
    public func sets(_ cookie: String) -> Bool { cookie == accessCookie || cookie == refreshCookie }
}
