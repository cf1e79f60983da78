/// The paths of an issuer's endpoints, below its `base_path`.
public enum IssuerPath: String, Sendable, CaseIterable {
    case openIDConfiguration = "/.well-known/openid-configuration"
    /// The same document, where RFC 8414 has it.
    case authorizationServer = "/.well-known/oauth-authorization-server"
    case keySet = "/oauth2/jwks.json"
    case authorize = "/oauth2/authorize"
    case appleCallback = "/oauth2/callback/apple"
    case googleCallback = "/oauth2/callback/google"
    case token = "/oauth2/token"
    case revoke = "/oauth2/revoke"
    case introspect = "/oauth2/introspect"
    case userInfo = "/userinfo"
    case logout = "/oauth2/logout"
    /// May also be the path of `sign_in.apple`.
    case appleExchange = "/auth/apple/exchange"

    /// Where a provider returns to for the hosted page, below `base_path`.
    public static func callback(of provider: SignIn.Provider) -> String { "/oauth2/callback/\(provider.rawValue)" }
}

extension WebSignIn {
    /// Where a provider returns to, with `providers`: each has an address of its own, so that a response cannot be taken
    /// for another's (RFC 9700 section 4.4.2).
    public func callback(of provider: SignIn.Provider) -> String {
        let path = callback.description
        return (path.hasSuffix("/") ? path : path + "/") + provider.rawValue
    }
}

extension SignIn {
    /// The providers of a page that offers all: those with a client for browsers.
    public var pageProviders: [Provider] {
        (apple?.web == nil ? [] : [.apple]) + (google?.web == nil ? [] : [.google]) + named.map { .named($0.name) }
    }
}
