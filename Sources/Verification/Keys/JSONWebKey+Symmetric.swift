extension JSONWebKey {
    /// A secret (RFC 7518 section 6.4.1) that is long enough for at least HS256.
    static func secret(_ jwk: JSONObject) throws(KeyProblem) -> [UInt8] {
        let secret = try bytes("k", jwk)
        guard !KeyMaterial.secret(secret).algorithms.isEmpty else { throw .secretTooShort(bytes: secret.count) }
        return secret
    }
}
