import Testing
import Time
import Verification

@testable import IdentityProvider

/// `Testing` has another `Confirmation`.
typealias TokenConfirmation = Verification.Confirmation

/// A client's key, and proofs made with it (RFC 9449 section 4.2).
struct ProofKey: Sendable {
    let key: SigningKey
    let thumbprint: [UInt8]

    init(_ kind: SigningKey.Kind = .p256) throws {
        key = try SigningKey.generate(kind)
        let name = try #require(key.thumbprint)
        thumbprint = try #require(Base64URL.decode(name))
    }

    /// `jkt`.
    var name: String { Base64URL.encode(thumbprint) }

    /// - Parameters:
    ///   - url: `htu`.
    ///   - token: The access token that it is for.
    ///   - changes: Replaced claims; null removes one.
    ///   - header: Replaced header parameters.
    func proof(
        _ method: String,
        _ url: String,
        token: String? = nil,
        nonce: String? = nil,
        changes: JSONObject = [:],
        header: JSONObject = [:],
        at now: UnixTime = IssuerFixture.start
    ) throws -> String {
        var claims: JSONObject = [
            "jti": .string(Base64URL.encode(RandomBytes.make(12))), "htm": .string(method), "htu": .string(url),
            "iat": .number(JSONNumber(Int(now.seconds))),
        ]
        if let token { claims["ath"] = .string(Base64URL.encode(SHA256.digest(Array(token.utf8)))) }
        if let nonce { claims["nonce"] = .string(nonce) }
        for member in changes.members { claims[member.name] = member.value == .null ? nil : member.value }
        let jwk = try #require(key.publicJWK())
        var fields: JSONObject = ["typ": "dpop+jwt", "jwk": .object(jwk)]
        for member in header.members { fields[member.name] = member.value }
        let algorithm = try #require(key.algorithms.first)
        return try TokenSigner(key, algorithm: algorithm).sign(claims, header: fields)
    }
}
