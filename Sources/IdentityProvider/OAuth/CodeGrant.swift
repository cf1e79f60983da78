import Time
import Verification

/// The grant behind an authorization code.
struct CodeGrant: Sendable, Equatable {
    var clientID: String
    /// Exactly as in the authorization request.
    var redirectURI: String
    /// S256 (RFC 7636 section 4.2); nil if the client relies on its nonce.
    var codeChallenge: String?
    var scopes: [String]
    var nonce: String?
    /// Of the account.
    var subject: String
    /// The provider of the identity.
    var provider: String
    /// Claims of the session that the provider gave.
    var claims = JSONObject()
    var device: String?
    /// The browser's address in text.
    var address: String?
    /// How the owner of the account was authenticated (RFC 8176); empty where a provider did it.
    var methods: [String] = []
    /// When the subject signed in here, where that was before the code was issued.
    var signedInAt: UnixTime?
    /// When they proved who they are, where that was before the code was issued.
    var authenticatedAt: UnixTime?
    /// Whether they proved it then.
    var isProven = false
    /// The group of the session at the issuer in which it was issued; nil for none.
    var singleSignOn: String?
    /// When the code was issued; it is valid for 60 seconds.
    var issuedAt: UnixTime
    /// SHA-256 thumbprint of the key that must be proved to redeem it (`dpop_jkt`, RFC 9449 section 10).
    var keyThumbprint: [UInt8]?
}

extension CodeGrant {
    /// Whether a request with this verifier may redeem it. A verifier for a code without a challenge is refused: the challenge
    /// may have been taken out of the authorization request (RFC 9700 section 4.8.2).
    func isMet(by verifier: String?) -> Bool {
        switch (codeChallenge, verifier) {
        case (nil, nil): true
        case (let challenge?, let verifier?): CodeVerifier.matches(verifier, challenge: challenge)
        case (nil, _?), (_?, nil): false
        }
    }

    /// Whether a client that has proved `binding` may redeem it.
    func isBound(to binding: TokenBinding?) -> Bool {
        keyThumbprint.map { Confirmation(keyThumbprint: $0).isMet(by: binding?.confirmation) } ?? true
    }
}
