import Tenants
import Time

/// A sign-in in a browser, from its start until a provider has answered.
struct SignInTransaction: Sendable, Equatable {
    /// Seconds.
    static let lifetime = 600.0

    /// What it is for.
    enum Purpose: Sendable, Equatable {
        /// A code for a client of the issuer.
        case client(AuthorizationRequest)
        /// Cookies, and this URL then.
        case web(after: String)
    }

    /// What one of the providers is held to.
    struct Leg: Sendable, Equatable {
        let nonce: String
        /// PKCE (RFC 7636 section 4.1).
        let codeVerifier: String
        /// Ours, as the provider was told.
        let redirectURI: String
    }

    /// A provider's answer that was posted without the browser's cookie, until the browser comes with it.
    struct Posted: Sendable, Equatable {
        let provider: SignIn.Provider
        let answer: ProviderAnswer
    }

    let purpose: Purpose
    let legs: [SignIn.Provider: Leg]
    /// Of the browser's cookie.
    let bindingHash: [UInt8]
    let expiresAt: UnixTime
    var posted: Posted?
}
