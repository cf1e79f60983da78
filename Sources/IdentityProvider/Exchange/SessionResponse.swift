import Verification

/// The response to an app that has signed in, or refreshed.
enum SessionResponse {
    /// - Parameter user: The part of the account that apps display.
    static func object(_ tokens: IssuedTokens, user: JSONObject) -> JSONObject {
        var object: JSONObject = [
            "success": true,
            "token": .string(tokens.accessToken),
            "access_token": .string(tokens.accessToken),
        ]
        if let refreshToken = tokens.refreshToken { object["refresh_token"] = .string(refreshToken) }
        if let idToken = tokens.idToken { object["id_token"] = .string(idToken) }
        object["token_type"] = tokens.needsProof ? "DPoP" : "bearer"
        object["expires_in"] = .number(JSONNumber(tokens.expiresIn))
        object["user"] = .object(user)
        return object
    }

    /// The user as far as known, if the account is unavailable or has more than the token's client may see.
    ///
    /// - Parameter claims: Of the session, or of its access token.
    static func user(_ subject: String, claims: JSONObject) -> JSONObject {
        var user: JSONObject = ["id": .string(subject), "sub": .string(subject)]
        for member in AccessTokenClaims.withoutReserved(claims).members
        where user[member.name] == nil && member.name != "scope" {
            user[member.name] = member.value
        }
        return user
    }
}
