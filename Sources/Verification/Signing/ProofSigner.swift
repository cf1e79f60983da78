public import Time

/// Makes DPoP proofs (RFC 9449 section 4.2), for tests and experiments. Not `Sendable`, like ``TokenSigner``.
public final class ProofSigner {
    private let signer: TokenSigner
    private let jwk: JSONObject

    /// - Parameters:
    ///   - key: A private key; a secret proves nothing.
    ///   - algorithm: One that the key can sign with.
    public init(_ key: SigningKey, algorithm: SignatureAlgorithm) throws(SigningError) {
        guard case .privateKey(_, let publicKey) = key.material else { throw .algorithmDoesNotFit(algorithm) }
        jwk = publicKey.jsonWebKeyMembers
        signer = try TokenSigner(key, algorithm: algorithm)
    }

    /// A proof for one request.
    ///
    /// - Parameters:
    ///   - method: `htm`.
    ///   - target: `htu`, the URL of the request without query and fragment.
    ///   - id: `jti`, unique for each proof.
    ///   - now: `iat`.
    ///   - accessToken: The token that goes with it; nil at a token endpoint.
    ///   - nonce: From the server.
    public func sign(
        method: String,
        target: String,
        id: String,
        at now: UnixTime,
        accessToken: [UInt8]? = nil,
        nonce: String? = nil
    ) throws(SigningError) -> String {
        var claims: JSONObject = [
            "jti": .string(id), "htm": .string(method), "htu": .string(target),
            "iat": .number(JSONNumber(Int(now.seconds))),
        ]
        if let accessToken { claims["ath"] = .string(Base64URL.encode(SHA256.digest(accessToken))) }
        if let nonce { claims["nonce"] = .string(nonce) }
        return try sign(claims)
    }

    /// A proof with exactly these claims.
    ///
    /// - Parameter extra: Members of the header besides `alg`; they replace `typ` and `jwk`.
    public func sign(_ claims: JSONObject, header extra: JSONObject = JSONObject()) throws(SigningError) -> String {
        var header: JSONObject = ["typ": "dpop+jwt", "jwk": .object(jwk)]
        for member in extra.members { header[member.name] = member.value }
        return try signer.sign(claims, header: header)
    }
}
