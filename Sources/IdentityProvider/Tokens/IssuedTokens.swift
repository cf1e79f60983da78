public import Time
public import Verification

/// What a client gets for a session. Printing it shows no token.
public struct IssuedTokens: Sendable, Equatable {
    /// A JWT (RFC 9068).
    public let accessToken: String
    /// Nil where the client's own stays as it is.
    public let refreshToken: String?
    /// A JWT (OpenID Connect Core section 2); nil where `openid` is not among the scopes.
    public let idToken: String?
    /// What the access token is for.
    public let scopes: [String]
    /// What the access token is bound to; nil: to nothing.
    public let confirmation: Confirmation?
    /// When the access token expires.
    public let accessExpiresAt: UnixTime
    /// Seconds that the access token is good for (`expires_in`).
    public let expiresIn: Int
    /// The `sid`.
    public let sessionID: String
    /// When the session ends if it is not used again, and its refresh token with it.
    public let sessionExpiresAt: UnixTime

    /// Whether the access token is good with a proof alone (RFC 9449); its type is `DPoP` then, and `Bearer` for all else.
    public var needsProof: Bool { confirmation?.keyThumbprint != nil }

    /// The answer of a token endpoint (RFC 6749 section 5.1, OpenID Connect Core section 3.1.3.3).
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
