/// How people sign in to a tenant.
public struct SignIn: Sendable, Equatable {
    public var apple: AppleSignIn?
    public var google: GoogleSignIn?
    /// Sign-in in a browser, with cookies.
    public var web: WebSignIn?
    public var endpoints: SessionEndpoints = SessionEndpoints()

    /// What becomes of a provider's token that was found good.
    public enum Exchange: String, Sendable, CaseIterable {
        /// The request goes on to the backend as it came, with who was verified in fields of ours.
        case forward
        /// The gateway answers with tokens of its own.
        case issue
    }

    /// Who signs in to identity providers.
    public enum Provider: String, Sendable, CaseIterable {
        case apple
        case google
    }
}

/// Session endpoints at the tenant's own paths; nil: there is none.
public struct SessionEndpoints: Sendable, Equatable {
    /// Answers with a new pair of tokens.
    public var refresh: PathPattern?
    /// Both answer with the user.
    public var validate: PathPattern?
    public var me: PathPattern?
    /// Ends this session.
    public var logout: PathPattern?
}

/// Sign-in in a browser at the tenant's own paths, which ends with cookies.
public struct WebSignIn: Sendable, Equatable {
    /// Starts a sign-in.
    public var login: PathPattern
    /// Where the provider returns to.
    public var callback: PathPattern
    public var provider: SignIn.Provider
    /// The client at the provider.
    public var clientID: String
    /// Its secret; nil where it has none, or a key signs for it (Apple).
    public var clientSecret: Secret?
    /// Where the browser goes then: an absolute URL, whose origin is the only one that `after` may name.
    public var after: String
    /// The cookies' names.
    public var accessCookie: String
    public var refreshCookie: String
}
