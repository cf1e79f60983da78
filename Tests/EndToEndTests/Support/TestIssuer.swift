import Foundation
import Verification

/// An identity provider of the tests' own: real keys of every kind, a secret, and the key set it publishes.
struct TestIssuer: Sendable {
    /// The `iss` of tokens that the published keys verify.
    static let name = "https://id.test"
    /// The `iss` of tokens that the secret verifies.
    static let secretName = "https://secret.test"
    static let audience = "app"
    /// 64 bytes, enough for every HMAC (RFC 7518 section 3.2).
    static let secret = "a-secret-of-the-tests-and-of-nobody-else-0123456789-abcdefghijkl"

    /// An entry of `issuers` for the secret.
    static let entry =
        #"{ issuer: "https://secret.test", audiences: [app], algorithms: [HS256], secret: "${TEST_SECRET}" }"#

    private static let made = Result { try TestIssuer() }

    /// Keys are made once for the whole run: RSA takes its time.
    static func shared() throws -> TestIssuer { try made.get() }

    let rsa: SigningKey
    let p256: SigningKey
    let ed25519: SigningKey
    /// A key that is not in the set.
    let stranger: SigningKey
    /// The key set document (RFC 7517 section 5).
    let jwks: String

    private init() throws {
        rsa = try SigningKey.generate(.rsa(bits: 2048))
        p256 = try SigningKey.generate(.p256)
        ed25519 = try SigningKey.generate(.ed25519)
        stranger = try SigningKey.generate(.rsa(bits: 2048))
        let published = [rsa, p256, ed25519].compactMap { $0.publicJWK().map(JSONValue.object) }
        jwks = JSONWriter.text(of: ["keys": .array(published)])
    }

    /// The key that signs for an algorithm of the set.
    func key(for algorithm: SignatureAlgorithm) -> SigningKey {
        switch algorithm {
        case .hs256, .hs384, .hs512: SigningKey(secret: Array(Self.secret.utf8))
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: rsa
        case .es256, .es384, .es512: p256
        case .edDSA: ed25519
        }
    }

    /// A valid token with changed `claims`; null removes a claim.
    ///
    /// - Parameters:
    ///   - key: Replaces the key of the algorithm.
    ///   - keyID: Nil: the thumbprint of the signing key.
    func token(
        _ claims: JSONObject = [:],
        algorithm: SignatureAlgorithm = .hs256,
        key: SigningKey? = nil,
        keyID: String? = nil,
        header: JSONObject = [:]
    ) throws -> String {
        let now = Int(Date().timeIntervalSince1970)
        var payload: JSONObject = [
            "iss": .string(algorithm.isSymmetric ? Self.secretName : Self.name),
            "sub": "alice",
            "aud": .string(Self.audience),
            "iat": .number(JSONNumber(now)),
            "exp": .number(JSONNumber(now + 3600)),
        ]
        for claim in claims.members {
            // A bare nil would be a JSON null.
            payload[claim.name] = claim.value == .null ? JSONValue?.none : claim.value
        }
        let signing = key ?? self.key(for: algorithm)
        let signer = try TokenSigner(signing, algorithm: algorithm, keyID: keyID ?? signing.thumbprint)
        return try signer.sign(payload, header: header)
    }

    /// A time claim `seconds` from now.
    static func fromNow(_ seconds: Int) -> JSONValue {
        .number(JSONNumber(Int(Date().timeIntervalSince1970) + seconds))
    }
}
