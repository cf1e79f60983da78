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
}
