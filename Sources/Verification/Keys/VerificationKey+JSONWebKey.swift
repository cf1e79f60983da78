extension VerificationKey {
    /// The key as it is published (RFC 7517): the members of its kind that are public, `kid`, `use` and `alg`. It is
    /// made from the public numbers alone, so that no private member of a file can be published. Nil for a secret.
    ///
    /// - Parameter algorithm: The `alg` to name.
    public func publicJWK(algorithm: SignatureAlgorithm) -> JSONObject? {
        guard case .publicKey(let key) = material else { return nil }
        var jwk = key.jsonWebKeyMembers
        jwk["kid"] = .string(keyID ?? key.thumbprint)
        jwk["use"] = "sig"
        jwk["alg"] = .string(algorithm.rawValue)
        return jwk
    }
}
