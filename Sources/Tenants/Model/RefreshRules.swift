public import Verification

/// How a tenant's sessions get new tokens, and how their clients get those.
public struct RefreshRules: Sendable, Equatable {
    public var onUnauthorized = Schema.refresh.on401.standard
    /// A token that expires within this is refreshed ahead, in the background.
    public var within = Schema.refresh.within.standard
    public var grace = Schema.refresh.grace.standard
    public var source: RefreshTokenSource = .none
    public var call: RefreshCall
    public var delivery: RefreshDelivery
    /// The backend's answers that hold refresh tokens; empty without a vault.
    public var captures: [TokenCapture] = []
    public var withoutStore: RefreshWithoutStore = .alone
}

/// What an instance does about a session that is due for a refresh while the store that all instances share cannot be
/// reached.
public enum RefreshWithoutStore: String, Sendable, CaseIterable {
    /// It presents nothing: another instance may present the same refresh token, and who presents one that has rotated
    /// looks like a thief to the provider (RFC 9700 section 4.14.2).
    case refuse
    /// It refreshes once by itself, as each other instance does.
    case alone
}

extension RefreshCall.Strategy {
    /// What holds where nothing is said: only what may be presented again and again is.
    public var standardWithoutStore: RefreshWithoutStore {
        switch self {
        case .bearer: .alone
        case .refreshTokenJSON, .oauth2, .builtIn: .refuse
        }
    }
}

/// Where the refresh token comes from.
public enum RefreshTokenSource: Sendable, Hashable {
    /// There is none: the access token itself, or its `sid`, is what is refreshed by.
    case none
    /// The client sends it along.
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
        /// Nothing: the tenant's own issuer is asked.
        case builtIn
    }

    /// How ``Strategy`` is written.
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
    public var method = Schema.refreshCall.method.standard
    /// Nil for ``Strategy/builtIn``.
    public var target: Target?
    /// Where the new access token is in the answer.
    public var accessToken: JSONPointer
    /// Where the new refresh token is in the answer; nil: the old one stays good.
    public var refreshToken: JSONPointer?
}

/// How the client gets what is new.
public struct RefreshDelivery: Sendable, Equatable {
    public struct Cookie: Sendable, Equatable {
        public var name: String
        /// Where its value is in the answer.
        public var value: JSONPointer
    }

    /// The response field for clients that send their token in one.
    public var header: String?
    /// For clients that send their token in a cookie.
    public var cookies: [Cookie] = []
}

/// An answer of the backend that holds a refresh token: to a sign-in, or to a refresh that the client made itself.
public struct TokenCapture: Sendable, Equatable {
    public var path: PathPattern
    public var accessToken: JSONPointer
    public var refreshToken: JSONPointer
}
