import Time
import Verification

/// A pretend issuer: its keys, its policy and a way to sign whatever a test asks for.
enum VerificationFixture {
    static let now = UnixTime(1_800_000_000)
    static let issuer = "https://issuer.example"
    static let secret = Array("a secret of the tests that is sixty-four bytes long, all in all!".utf8)

    static let rsa = Result { try SigningKey.generate(.rsa(bits: 2048)) }
    static let p256 = Result { try SigningKey.generate(.p256) }
    static let p384 = Result { try SigningKey.generate(.p384) }
    static let p521 = Result { try SigningKey.generate(.p521) }
    static let ed25519 = Result { try SigningKey.generate(.ed25519) }

    /// The key that the tests use for an algorithm.
    static func key(for algorithm: SignatureAlgorithm) throws -> SigningKey {
        switch algorithm {
        case .hs256, .hs384, .hs512: SigningKey(secret: secret)
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: try rsa.get()
        case .es256: try p256.get()
        case .es384: try p384.get()
        case .es512: try p521.get()
        case .edDSA: try ed25519.get()
        }
    }

    static func keySet(for algorithm: SignatureAlgorithm) throws -> KeySet {
        guard let jwk = try key(for: algorithm).publicJWK(algorithm: algorithm) else {
            return try KeySet(secret: secret, algorithms: [algorithm])
        }
        return try KeySet(jwk: jwk)
    }

    static var claims: JSONObject {
        [
            "iss": .string(issuer), "sub": "alice", "aud": "the-app", "exp": 1_800_000_600, "iat": 1_799_999_000,
            "jti": "token-1", "sid": "session-1", "role": "customer", "scope": "read write",
        ]
    }

    /// A good token, changed as the arguments say, then signed with the real key.
    static func token(
        _ algorithm: SignatureAlgorithm = .hs256,
        header: JSONObject = [:],
        changing: KeyValuePairs<String, JSONValue?> = [:]
    ) throws -> String {
        var claims = claims
        for (name, value) in changing { claims[name] = value }
        return try TokenSigner(key(for: algorithm), algorithm: algorithm).sign(claims, header: header)
    }

    static func verifier(
        _ algorithm: SignatureAlgorithm = .hs256,
        audiences: [String] = ["the-app"],
        required: [String] = []
    ) throws -> TokenVerifier {
        TokenVerifier(
            VerificationPolicy(
                issuers: [
                    IssuerPolicy(
                        issuer: issuer,
                        audiences: audiences,
                        algorithms: [algorithm],
                        keys: try keySet(for: algorithm)
                    )
                ],
                requiredClaims: required
            )
        )
    }

    /// Why a token is refused; nil if it is accepted.
    static func refusal(
        of token: String,
        at now: UnixTime = now,
        by verifier: TokenVerifier? = nil
    ) throws -> VerificationFailure? {
        let verifier = try verifier ?? Self.verifier()
        do throws(VerificationFailure) {
            _ = try verifier.verify(Array(token.utf8), at: now)
            return nil
        } catch {
            return error
        }
    }

    /// A token over exactly this header text and payload text, signed with the secret by HS256.
    static func rawToken(header: String, payload: String) throws -> String {
        let input = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(Array(payload.utf8))
        return input + "." + Base64URL.encode(try hmac(input))
    }

    /// HMAC-SHA-256 (RFC 2104) over any text, so that headers can be signed which the signer would not write.
    static func hmac(_ input: String) throws -> [UInt8] {
        let block = 64
        let key = secret + [UInt8](repeating: 0, count: block - secret.count)
        let inner = SHA256.digest(key.map { $0 ^ 0x36 } + Array(input.utf8))
        return SHA256.digest(key.map { $0 ^ 0x5C } + inner)
    }
}
