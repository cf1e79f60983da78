/// Reads a JWK (RFC 7517 section 4) as a verification key. Each kind of key has a file of its own.
enum JSONWebKey {
    static func verificationKey(
        from jwk: JSONObject,
        origin: KeySet.Origin
    ) throws(KeyProblem) -> VerificationKey {
        guard let keyType = VerificationKey.KeyType(rawValue: try text("kty", jwk)) else { throw .unknownKeyType }
        if origin == .url {
            if keyType == .symmetric { throw .symmetricKeyFromURL }
            if jwk["d"] != nil { throw .privateKeyFromURL }
        }
        let keyID = try optionalText("kid", jwk)
        let use = try optionalText("use", jwk)
        try checkUse(use, operations: jwk["key_ops"])
        let material = try material(of: keyType, jwk)
        let declared = try declaredAlgorithm(jwk)
        let possible = material.algorithms
        if let declared, !possible.contains(declared) {
            if case .secret(let bytes) = material, declared.isSymmetric { throw .secretTooShort(bytes: bytes.count) }
            throw .algorithmDoesNotFit
        }
        return VerificationKey(
            keyID: keyID,
            declaredAlgorithm: declared,
            use: use,
            algorithms: declared.map { [$0] } ?? possible,
            material: material
        )
    }

    private static func material(
        of keyType: VerificationKey.KeyType,
        _ jwk: JSONObject
    ) throws(KeyProblem) -> KeyMaterial {
        switch keyType {
        case .rsa: .publicKey(try rsaKey(jwk))
        case .ellipticCurve: .publicKey(try ellipticCurveKey(jwk))
        case .octetKeyPair: .publicKey(try octetKeyPair(jwk))
        case .symmetric: .secret(try secret(jwk))
        }
    }

    /// A key for encryption, or for signing alone, does not verify (RFC 7517 sections 4.2 and 4.3).
    private static func checkUse(_ use: String?, operations: JSONValue?) throws(KeyProblem) {
        if let use, use != "sig" { throw .notForVerification }
        guard let operations else { return }
        guard case .array = operations, let names = operations.stringOrStrings else { throw .badMember("key_ops") }
        guard names.contains("verify") else { throw .notForVerification }
    }

    /// An unknown `alg` still restricts the key, so such a key cannot be used here.
    private static func declaredAlgorithm(_ jwk: JSONObject) throws(KeyProblem) -> SignatureAlgorithm? {
        guard let name = try optionalText("alg", jwk) else { return nil }
        guard let algorithm = SignatureAlgorithm(exactName: name) else { throw .unknownAlgorithm }
        return algorithm
    }

    static func text(_ name: String, _ jwk: JSONObject) throws(KeyProblem) -> String {
        guard let text = try optionalText(name, jwk) else { throw .badMember(name) }
        return text
    }

    static func optionalText(_ name: String, _ jwk: JSONObject) throws(KeyProblem) -> String? {
        guard let value = jwk[name] else { return nil }
        guard case .string(let text) = value else { throw .badMember(name) }
        return text
    }

    /// A member that holds bytes in canonical base64url.
    static func bytes(_ name: String, _ jwk: JSONObject) throws(KeyProblem) -> [UInt8] {
        guard let bytes = Base64URL.decode(try text(name, jwk)) else { throw .badMember(name) }
        return bytes
    }
}
