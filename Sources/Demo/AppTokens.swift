import Time
import Verification

/// Mints and verifies the tokens of one app.
struct AppTokens: Sendable {
    /// In seconds.
    let lifetime: Int
    private let issuer: String
    private let audiences: [String]
    private let isGateways: Bool
    private let key: AppKey
    /// Another issuer whose tokens are taken; nil for none.
    private let former: IssuerPolicy?
    private let now: @Sendable () -> UnixTime

    /// - Parameters:
    ///   - audiences: A token must name one of these; empty if `aud` is neither written nor checked.
    ///   - isGateways: Whether they are those of the gateway's own issuer, whose access tokens are typed (RFC 9068).
    ///   - former: Another issuer whose tokens are taken; nil for none.
    init(
        issuer: String,
        audiences: [String],
        key: AppKey,
        lifetime: Int,
        isGateways: Bool = false,
        former: IssuerPolicy? = nil,
        now: @escaping @Sendable () -> UnixTime
    ) {
        self.issuer = issuer
        self.audiences = audiences
        self.key = key
        self.lifetime = lifetime
        self.isGateways = isGateways
        self.former = former
        self.now = now
    }

    /// A signed token for `user`, with a unique `jti`.
    ///
    /// - Parameter seconds: How long ago it expired; nil if it is issued now.
    func mint(
        for user: SampleUser,
        audience: String?,
        expiredFor seconds: Int? = nil
    ) throws -> String {
        let issuedAt = Int(now().seconds) - (seconds.map { lifetime + $0 } ?? 0)
        var claims: JSONObject = ["iss": .string(issuer), "sub": .string(user.subject)]
        claims["aud"] = audience.map(JSONValue.string)
        claims["email"] = .string(user.email)
        claims["role"] = .string(user.role)
        claims["jti"] = .string(RandomText.make(bytes: 16))
        claims["iat"] = .number(JSONNumber(issuedAt))
        claims["exp"] = .number(JSONNumber(issuedAt + lifetime))
        return try sign(claims)
    }

    /// A token as it is that many seconds after its expiry, with a new `jti`.
    func expired(_ token: String, for seconds: Int) throws -> String {
        var claims = try UnverifiedToken(Array(token.utf8)).claims()
        let expiresAt = Int(now().seconds) - seconds
        claims["jti"] = .string(RandomText.make(bytes: 16))
        claims["iat"] = .number(JSONNumber(expiresAt - lifetime))
        claims["exp"] = .number(JSONNumber(expiresAt))
        return try sign(claims)
    }

    private func sign(_ claims: JSONObject) throws(SigningError) -> String {
        try TokenSigner(key.signing, algorithm: key.algorithm, keyID: key.signing.thumbprint)
            .sign(claims, header: isGateways ? ["typ": "at+jwt"] : [:])
    }

    /// Verifies a token.
    ///
    /// - Parameter leeway: Seconds after its expiry for which a token is still accepted.
    func principal(of token: String, leeway: Double = 60) throws(Unauthorized) -> Principal {
        let policy = VerificationPolicy(
            issuers: [
                IssuerPolicy(
                    issuer: issuer,
                    audiences: audiences,
                    algorithms: [key.algorithm],
                    keys: key.verifying,
                    requiresAccessTokenType: isGateways
                )
            ] + (former.map { [$0] } ?? []),
            leeway: leeway,
            requiredClaims: ["sub", "exp"]
        )
        do {
            return try TokenVerifier(policy).verify(Array(token.utf8), at: now())
        } catch {
            throw Unauthorized(reason: error.summary)
        }
    }
}

/// One algorithm with both halves of its key.
struct AppKey: Sendable {
    let algorithm: SignatureAlgorithm
    let signing: SigningKey
    let verifying: KeySet

    init(secret: [UInt8]) throws(KeySetError) {
        algorithm = .hs256
        signing = SigningKey(secret: secret)
        verifying = try KeySet(secret: secret, algorithms: [.hs256])
    }

    init(_ algorithm: SignatureAlgorithm, _ key: SigningKey) throws(KeySetError) {
        self.algorithm = algorithm
        signing = key
        verifying = try KeySet(jwk: key.publicJWK(algorithm: algorithm) ?? JSONObject())
    }
}
