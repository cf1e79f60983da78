/// What the gateway answers itself on a tenant's host.
public enum Endpoint: String, Sendable, Hashable, CaseIterable {
    // Exchanges of a provider's token.
    case appleExchange
    case googleExchange
    /// Apple's server-to-server events.
    case appleNotifications

    // Sign-in in a browser, with cookies.
    case webLogin
    case webCallback

    // Sessions, at the tenant's own paths.
    case sessionRefresh
    case sessionValidate
    case sessionMe
    case sessionLogout

    // The OpenID issuer.
    case discovery
    case jwks
    case authorize
    case appleCallback
    case googleCallback
    case token
    case revoke
    case introspect
    case userInfo
    case logout
}
