public import Verification

/// The keys of one issuer: the one that signs its tokens, and those that others verify them with.
public protocol IssuerKeys: Sendable {
    /// - Parameter claims: The token has exactly these.
    func sign(_ claims: JSONObject, as type: IssuedTokenType) async throws(SigningProblem) -> String

    /// The previous, the active and the next key.
    func published() async throws(SigningProblem) -> PublishedKeys
}

/// The `typ` of an issuer's token (RFC 8725 section 3.11).
public enum IssuedTokenType: String, Sendable {
    /// RFC 9068.
    case access = "at+jwt"
    case id = "JWT"
    /// A refresh token: its own type, so that nobody takes it for one of the others.
    case refresh = "rt+jwt"
    /// The proof in a request to an account hook.
    case hook = "hook+jwt"
    /// OpenID Connect Back-Channel Logout 1.0 section 2.4.
    case logout = "logout+jwt"
}

/// Public keys, as a document and as verifiers.
public struct PublishedKeys: Sendable {
    /// A JWK Set (RFC 7517 section 5).
    public let document: JSONObject
    public let keys: KeySet
}
