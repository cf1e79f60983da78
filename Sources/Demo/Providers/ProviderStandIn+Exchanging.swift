import HTTPTypes
import Hummingbird
import Time
import Verification

/// Exchanges codes for tokens (RFC 6749 section 4.1.3).
extension ProviderStandIn {
    private static let accessTokenLifetime = 3600

    func exchangeAtApple(_ parameters: FormParameters) throws -> Response {
        try Self.checkGrantType(parameters)
        let clientID = try parameters.require("client_id")
        try checkAppleSecret(try parameters.require("client_secret"), of: clientID)
        let code = try state.withLock { state throws(StandInRefusal) in
            let code = try state.redeem(parameters, for: clientID, at: now())
            state.sentNames.insert(true, for: "\(clientID) \(code.user.subject)")
            return code
        }
        let accessToken = RandomText.make(bytes: 32)
        let idToken = try appleIdentityToken(
            subject: code.user.subject,
            email: code.authorization.scopes.contains("email") ? code.user.email : nil,
            emailVerified: code.user.emailVerified,
            isPrivate: code.user.isPrivateEmail ? "true" : nil,
            audience: clientID
        ) { claims in
            claims["nonce"] = code.authorization.nonce.map(JSONValue.string)
            claims["at_hash"] = .string(Self.leftHalfHash(accessToken))
        }
        return .json([
            "access_token": .string(accessToken), "token_type": "Bearer",
            "expires_in": .number(JSONNumber(Self.accessTokenLifetime)),
            "refresh_token": .string(refreshToken(for: code, at: .apple)), "id_token": .string(idToken),
        ])
    }

    func exchangeAtGoogle(_ parameters: FormParameters) throws -> Response {
        try Self.checkGrantType(parameters)
        let clientID = try parameters.require("client_id")
        let clients = state.withLock { $0.googleClients }
        guard let client = clients[clientID],
            client.secret.map({ ConstantTime.areEqual($0, Array((parameters["client_secret"] ?? "").utf8)) }) ?? true
        else { throw StandInRefusal(status: 401, error: "invalid_client", reason: "Unauthorized") }
        let code = try state.withLock { state throws(StandInRefusal) in
            try state.redeem(parameters, for: clientID, at: now())
        }
        try Self.checkVerifier(parameters, of: code)
        let accessToken = googleAccessToken(for: code.user, audience: clientID, scope: code.authorization.scope)
        let idToken = try googleIDToken(
            subject: code.user.subject,
            email: code.authorization.scopes.contains("email") ? code.user.email : nil,
            emailVerified: code.user.emailVerified,
            name: code.authorization.scopes.contains("profile") ? code.user.name : nil,
            audience: clientID,
            nonce: code.authorization.nonce
        ) { $0["at_hash"] = .string(Self.leftHalfHash(accessToken)) }
        var response: JSONObject = [
            "access_token": .string(accessToken), "token_type": "Bearer",
            "expires_in": .number(JSONNumber(Self.accessTokenLifetime - 1)), "scope": .string(code.authorization.scope),
            "id_token": .string(idToken),
        ]
        if code.authorization.isOffline { response["refresh_token"] = .string(refreshToken(for: code, at: .google)) }
        return .json(.object(response))
    }

    /// Codes of apps have no challenge.
    private static func checkVerifier(_ parameters: FormParameters, of code: IssuedCode) throws(StandInRefusal) {
        guard let expected = code.authorization.codeChallenge else { return }
        let verifier = try parameters.require("code_verifier")
        let challenge = Base64URL.encode(SHA256.digest(Array(verifier.utf8)))
        guard (43...128).contains(verifier.utf8.count), challenge == expected else {
            throw .grant("Missing code verifier, or it is not the challenge's")
        }
    }

    private static func checkGrantType(_ parameters: FormParameters) throws(StandInRefusal) {
        guard try parameters.require("grant_type") == "authorization_code" else {
            throw StandInRefusal(status: 400, error: "unsupported_grant_type", reason: "grant_type is unknown")
        }
    }

    /// A client secret for Apple is a token signed with the registered key: of the team, for the Services ID, to Apple,
    /// and valid for at most six months.
    func checkAppleSecret(_ secret: String, of clientID: String) throws(StandInRefusal) {
        let (client, key, issuer) = state.withLock { ($0.appleClients[clientID], $0.appleClientKey, $0.appleIssuer) }
        func refused(_ reason: String) -> StandInRefusal {
            StandInRefusal(status: 400, error: "invalid_client", reason: reason)
        }
        guard let client else { throw refused("client_id is not a Services ID") }
        var jwk = key.publicJWK(algorithm: .es256) ?? JSONObject()
        jwk["kid"] = .string(client.keyID)
        let policy = VerificationPolicy(
            issuers: [
                IssuerPolicy(
                    issuer: client.teamID,
                    audiences: [issuer],
                    algorithms: [.es256],
                    keys: try? KeySet(jwk: jwk)
                )
            ],
            requiredClaims: ["iss", "sub", "aud", "iat", "exp"]
        )
        let now = now()
        let principal: Principal
        do throws(VerificationFailure) {
            principal = try TokenVerifier(policy).verify(Array(secret.utf8), at: now)
        } catch {
            throw refused("client_secret: \(error.summary)")
        }
        guard principal.keyID == client.keyID else { throw refused("client_secret: kid is not the key's") }
        guard principal.subject == clientID else { throw refused("client_secret: sub is not client_id") }
        guard let expiresAt = principal.expiresAt, expiresAt <= now + 15_777_000 else {
            throw refused("client_secret: exp is more than six months from now")
        }
    }

    /// `at_hash` (OpenID Connect Core 1.0 section 3.1.3.6).
    private static func leftHalfHash(_ token: String) -> String {
        Base64URL.encode(Array(SHA256.digest(Array(token.utf8)).prefix(16)))
    }
}
