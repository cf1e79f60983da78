public import Time
public import Verification

/// The tokens that a client gets for a session. Its description shows none of them.
public struct IssuedTokens: Sendable, Equatable {
    /// A JWT (RFC 9068).
    public let accessToken: String
    /// Nil if the client keeps its present one.
    public let refreshToken: String?
    /// A JWT (OpenID Connect Core section 2); nil without the scope `openid`.
    public let idToken: String?
    /// The scopes of the access token.
    public let scopes: [String]
    /// What the access token is bound to; nil if it is unbound.
    public let confirmation: Confirmation?
    /// When the access token expires.
    public let accessExpiresAt: UnixTime
    /// The lifetime of the access token in seconds (`expires_in`).
    public let expiresIn: Int
    /// The `sid`.
    public let sessionID: String
    /// When the session and its refresh token end unless they are used again.
    public let sessionExpiresAt: UnixTime

    /// Whether the access token needs a proof (RFC 9449); then its type is `DPoP`, otherwise `Bearer`.
    public var needsProof: Bool { confirmation?.keyThumbprint != nil }

    /// The response of a token endpoint (RFC 6749 section 5.1, OpenID Connect Core section 3.1.3.3).
    public var response: JSONObject {
        var response: JSONObject = [
            "access_token": .string(accessToken),
            "token_type": needsProof ? "DPoP" : "Bearer",
            "expires_in": .number(JSONNumber(expiresIn)),
        ]
        if let refreshToken { response["refresh_token"] = .string(refreshToken) }
        if let idToken { response["id_token"] = .string(idToken) }
        if !scopes.isEmpty { response["scope"] = .string(scopes.joined(separator: " ")) }
        return response
    }
}

extension IssuedTokens: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "<tokens of session \(sessionID), redacted>" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
