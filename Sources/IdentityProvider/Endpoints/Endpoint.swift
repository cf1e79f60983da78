/// The gateway's own endpoints on a tenant's host.
public enum Endpoint: String, Sendable, Hashable, CaseIterable {
    // Exchanges of a provider's token.
    case appleExchange
    case googleExchange
    /// ID tokens of one of `sign_in.providers`.
    case namedExchange
    /// Apple's server-to-server events.
    case appleNotifications

    // Below `/.gatehouse`: what issuers and others tell of ended sessions.
    case backChannelLogout
    case signals

    // Sign-in in a browser, with cookies.
    case webLogin
    case webCallback

    // Sessions, at the tenant's own paths.
    case sessionRefresh
    case sessionValidate
    case sessionMe
    case sessionLogout

    // The page of people's own sessions, logins and passkeys, and what passkeys need beside it.
    case accountPage
    case passkeyScript
    case passkeySignIn

    // The deletion of one's own account, and its receipt.
    case accountDeletion
    case deletionReceipt

    // The OpenID issuer.
    case discovery
    case jwks
    case authorize
    case appleCallback
    case googleCallback
    /// Where one of `sign_in.providers` returns to.
    case namedCallback
    case token
    case revoke
    case introspect
    case userInfo
    case logout
}

extension Endpoint {
    /// The accepted methods. HEAD is accepted with GET (RFC 9110 section 9.1) only where a request changes nothing: not
    /// where a sign-in begins, continues or ends.
    public var methods: [String] {
        switch self {
        case .appleExchange, .googleExchange, .namedExchange, .appleNotifications, .backChannelLogout, .signals,
            .sessionRefresh, .sessionLogout,
            .token, .revoke, .introspect, .passkeySignIn:
            ["POST"]
        case .webLogin: ["GET"]
        // The table has the one that is configured; other requests for the path are the backend's.
        case .accountDeletion: ["DELETE", "POST"]
        case .sessionMe, .discovery, .jwks, .passkeyScript, .deletionReceipt: ["GET", "HEAD"]
        case .sessionValidate, .accountPage: ["GET", "HEAD", "POST"]
        case .webCallback, .authorize, .appleCallback, .googleCallback, .namedCallback, .userInfo, .logout:
            ["GET", "POST"]
        }
    }
}
