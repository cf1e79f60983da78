import Tenants
import Time

/// A browser sign-in, from its start to a provider's response.
struct SignInTransaction: Sendable, Equatable {
    /// Seconds.
    static let lifetime = 600.0

    /// What the sign-in is for.
    enum Purpose: Sendable, Equatable {
        /// A code for a client of the issuer.
        case client(AuthorizationRequest)
        /// Cookies, then a redirect to this URL.
        case web(after: String)
    }

    /// The values that one provider's response must match.
    struct Leg: Sendable, Equatable {
        let nonce: String
        /// PKCE (RFC 7636 section 4.1).
        let codeVerifier: String
        /// Ours, as sent to the provider.
        let redirectURI: String
    }

    /// A provider's response that was posted without the browser's cookie, kept until the browser sends the cookie.
    struct Posted: Sendable, Equatable {
        let provider: SignIn.Provider
        let callback: ProviderCallback
    }

    let purpose: Purpose
    let legs: [SignIn.Provider: Leg]
    /// The hash of the browser's cookie.
    let bindingHash: [UInt8]
    let expiresAt: UnixTime
    var posted: Posted?
    /// What a passkey has to sign; nil where none may sign in.
    var passkeyChallenge: [UInt8]?
    var demand = SignInDemand()
}
