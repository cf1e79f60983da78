extension JSONWebKey {
    /// An Ed25519 public key (RFC 8037 section 2).
    static func octetKeyPair(_ jwk: JSONObject) throws(KeyProblem) -> PublicKey {
        guard try text("crv", jwk) == PublicKey.ed25519Curve else { throw .unknownCurve }
        let bytes = try bytes("x", jwk)
        guard bytes.count == PublicKey.ed25519Size else { throw .badMember("x") }
        return .ed25519(bytes)
    }
}
