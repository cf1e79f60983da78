public import Verification

/// How a tenant's sessions get new tokens, and how clients receive them.
public struct RefreshRules: Sendable, Equatable {
    public var onUnauthorized = Schema.refresh.on401.default
    /// A token that expires within this is refreshed ahead, in the background.
    public var within = Schema.refresh.within.default
    public var grace = Schema.refresh.grace.default
    public var source: RefreshTokenSource = .none
    public var call: RefreshCall
    public var delivery: RefreshDelivery
    /// The backend's responses that have refresh tokens; empty without a vault.
    public var captures: [TokenCapture] = []
    public var withoutStore: RefreshWithoutStore = .alone
    /// Former issuers whose good tokens are exchanged for sessions of the tenant's own, in the order of the file.
    public var adopted: [String] = []
    /// The clients there that are the tenant's own apps.
    public var adoptedClients: [String] = []
}

/// Whether an instance refreshes a session while the store that all instances share cannot be reached.
public enum RefreshWithoutStore: String, Sendable, CaseIterable {
    /// It does not: another instance may present the same refresh token, and the provider takes a second use of a rotated
    /// token for theft (RFC 9700 section 4.14.2).
    case refuse
    /// Each instance refreshes once by itself.
    case alone
}

extension RefreshCall.Strategy {
    /// The default: `alone` only where a credential may be presented several times.
    public var defaultWithoutStore: RefreshWithoutStore {
        switch self {
        case .bearer: .alone
        case .refreshTokenJSON, .oauth2, .builtIn: .refuse
        }
    }
}

/// Where the refresh token comes from.
public enum RefreshTokenSource: Sendable, Hashable {
    /// There is none: the session is refreshed by the access token or its `sid`.
    case none
    /// The client sends it.
    case cookie(name: String)
    /// The gateway keeps it for clients that never send theirs.
    case vault
}

/// The request that gets new tokens.
public struct RefreshCall: Sendable, Equatable {
    /// What is sent.
    public enum Strategy: Sendable, Equatable {
        /// The access token, as `Authorization: Bearer`.
        case bearer
        /// `{"refresh_token": …}`.
        case refreshTokenJSON
        /// The form of RFC 6749 section 6. With a secret the client authenticates by HTTP Basic (section 2.3.1).
        case oauth2(clientID: String?, clientSecret: Secret?)
        /// Nothing: the tenant's own issuer refreshes the session.
        case builtIn
    }

    /// The values of `send`.
    enum Send: String, Sendable, CaseIterable {
        case bearer
        case refreshTokenJSON = "refresh_token_json"
        case oauth2
        case builtIn = "built_in"
    }

    public enum Target: Sendable, Hashable {
        /// A path, with its query, on the tenant's backend.
        case backend(path: String)
        /// https, or http on loopback.
        case url(String)
    }

    public var strategy: Strategy
    public var method = Schema.refreshCall.method.default
    /// nil for ``Strategy/builtIn``.
    public var target: Target?
    /// The new access token in the response.
    public var accessToken: JSONPointer
    /// The new refresh token in the response; nil: the old one stays valid.
    public var refreshToken: JSONPointer?
}

/// How the client gets the new tokens.
public struct RefreshDelivery: Sendable, Equatable {
    public struct Cookie: Sendable, Equatable {
        public var name: String
        /// Its value in the response.
        public var value: JSONPointer
        /// Those of `web`, if it sets the same cookie.
        public var rules = CookieRules()
    }

    /// The response field for clients that send their token in a field.
    public var header: String?
    /// For clients that send their token in a cookie.
    public var cookies: [Cookie] = []

    /// The cookies that a sign-in sets have the same attributes when they are renewed.
    mutating func adoptRules(of web: WebSignIn) {
        for index in cookies.indices where web.sets(cookies[index].name) { cookies[index].rules = web.cookieRules }
    }
}

/// A response of the backend that has a refresh token: to a sign-in, or to a client's own refresh.
public struct TokenCapture: Sendable, Equatable {
    public var path: PathPattern
    public var accessToken: JSONPointer
    public var refreshToken: JSONPointer
}
