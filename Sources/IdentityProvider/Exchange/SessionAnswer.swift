import Verification

/// What an app gets that has signed in, or goes on.
enum SessionAnswer {
    /// - Parameter user: What apps show of the account.
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

    /// What is known of a user where the account cannot be had, or is more than a token's client may see.
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
