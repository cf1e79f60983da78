public import Time
public import Verification

/// Tokens as the providers' software on a phone returns them.
extension ProviderStandIn {
    /// Apple's identity token.
    ///
    /// - Parameters:
    ///   - emailVerified: A boolean, or the text that Apple writes.
    ///   - isPrivate: `is_private_email`, likewise; nil: the token does not say.
    ///   - rawNonce: As the app made it: the token has the hash that the app gives to Apple. Nil: no nonce.
    ///   - seconds: Until it expires; negative: it has.
    ///   - issuer: Another `iss` than the stand-in's.
    ///   - isForged: Whether a key signs it that is not the provider's.
    ///   - changing: Alters the claims before they are signed.
    public func appleIdentityToken(
        subject: String,
        email: String? = nil,
        emailVerified: JSONValue = "true",
        isPrivate: JSONValue? = nil,
        audience: String,
        rawNonce: String? = nil,
        expiresIn seconds: Int = 86_400,
        issuer: String? = nil,
        isForged: Bool = false,
        changing: (inout JSONObject) -> Void = { _ in }
    ) throws(SigningError) -> String {
        let (keys, stranger, ownIssuer) = state.withLock { ($0.appleKeys, $0.stranger, $0.appleIssuer) }
        var claims = times(seconds)
        claims["iss"] = .string(issuer ?? ownIssuer)
        claims["sub"] = .string(subject)
        claims["aud"] = .string(audience)
        claims["auth_time"] = claims["iat"]
        claims["nonce_supported"] = true
        if let rawNonce {
            claims["nonce"] = .string(Hexadecimal.text(SHA256.digest(Array(rawNonce.utf8))))
        }
        if let email {
            claims["email"] = .string(email)
            claims["email_verified"] = emailVerified
            claims["is_private_email"] = isPrivate
        }
        changing(&claims)
        return try keys.sign(claims, insteadBy: isForged ? stranger : nil)
    }

    /// A server-to-server event of Apple's: the JWS that it posts as `{"payload": JWS}`.
    ///
    /// - Parameters:
    ///   - type: `consent-revoked`, `account-delete`, `email-disabled`, `email-enabled`.
    ///   - time: When it happened and was signed; nil: now.
    public func appleEvent(
        type: String,
        subject: String,
        at time: UnixTime? = nil,
        audience: String,
        isForged: Bool = false,
        changing: (inout JSONObject) -> Void = { _ in }
    ) throws(SigningError) -> String {
        let (keys, stranger, issuer) = state.withLock { ($0.appleKeys, $0.stranger, $0.appleIssuer) }
        let seconds = Int((time ?? now()).seconds)
        let event: JSONValue = [
            "type": .string(type), "sub": .string(subject),
            // Apple's servers write milliseconds.
            "event_time": .number(JSONNumber(seconds * 1000)),
        ]
        var claims: JSONObject = [
            "iss": .string(issuer), "aud": .string(audience), "iat": .number(JSONNumber(seconds)),
            "jti": .string(RandomText.make(bytes: 16)), "events": .string(JSONWriter.text(of: event)),
        ]
        changing(&claims)
        return try keys.sign(claims, insteadBy: isForged ? stranger : nil)
    }

    /// Google's ID token.
    ///
    /// - Parameters:
    ///   - authorizedParty: `azp`; nil: the audience.
    ///   - nonce: As it is in the token.
    public func googleIDToken(
        subject: String,
        email: String? = nil,
        emailVerified: JSONValue = true,
        name: String? = nil,
        audience: String,
        authorizedParty: String? = nil,
        nonce: String? = nil,
        expiresIn seconds: Int = 3600,
        issuer: String? = nil,
        isForged: Bool = false,
        changing: (inout JSONObject) -> Void = { _ in }
    ) throws(SigningError) -> String {
        let (keys, stranger, ownIssuer) = state.withLock { ($0.googleKeys, $0.stranger, $0.googleIssuer) }
        var claims = times(seconds)
        claims["iss"] = .string(issuer ?? ownIssuer)
        claims["azp"] = .string(authorizedParty ?? audience)
        claims["aud"] = .string(audience)
        claims["sub"] = .string(subject)
        claims["name"] = name.map(JSONValue.string)
        claims["nonce"] = nonce.map(JSONValue.string)
        if let email {
            claims["email"] = .string(email)
            claims["email_verified"] = emailVerified
        }
        changing(&claims)
        return try keys.sign(claims, insteadBy: isForged ? stranger : nil)
    }

    /// An access token of Google's, which user info and token info know from now on.
    ///
    /// - Parameter audience: The client that it was given to.
    public func googleAccessToken(
        subject: String,
        email: String,
        emailVerified: Bool = true,
        audience: String,
        scope: String = "openid email profile",
        expiresIn seconds: Int = 3600
    ) -> String {
        let user = ProviderUser(subject: subject, email: email, emailVerified: .bool(emailVerified))
        return googleAccessToken(for: user, audience: audience, scope: scope, expiresIn: seconds)
    }

    func googleAccessToken(
        for user: ProviderUser,
        audience: String,
        scope: String,
        expiresIn seconds: Int = 3600
    ) -> String {
        let token = "ya29.\(RandomText.make(bytes: 48))"
        let grant = GoogleGrant(user: user, audience: audience, scope: scope, expiresAt: now() + Double(seconds))
        state.withLock { $0.accessTokens.insert(grant, for: token) }
        return token
    }

    private func times(_ seconds: Int) -> JSONObject {
        let now = Int(now().seconds)
        // What has expired was issued before that.
        let issuedAt = seconds < 0 ? now + seconds - 60 : now
        return ["iat": .number(JSONNumber(issuedAt)), "exp": .number(JSONNumber(now + seconds))]
    }
}
