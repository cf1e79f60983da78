import Time
import Verification

/// What an authorization code stands for.
struct CodeGrant: Sendable, Equatable {
    var clientID: String
    /// As in the authorization request, to the letter.
    var redirectURI: String
    /// S256 (RFC 7636 section 4.2).
    var codeChallenge: String
    var scopes: [String]
    var nonce: String?
    /// Of the account.
    var subject: String
    /// Who vouched for the subject.
    var provider: String
    var device: String?
    /// When the code was issued; it lives 60 seconds.
    var issuedAt: UnixTime
    /// SHA-256 thumbprint of the key that whoever redeems it has to prove to hold (`dpop_jkt`, RFC 9449 section 10).
    var keyThumbprint: [UInt8]?
}

extension CodeGrant {
    /// Whether whoever has proved to hold what is in `binding` may redeem it.
    func isBound(to binding: TokenBinding?) -> Bool {
        keyThumbprint.map { Confirmation(keyThumbprint: $0).isMet(by: binding?.confirmation) } ?? true
    }
}
